import { el } from './dom.ts';

export interface Step {
  readonly label: string;
  readonly state: 'ahead' | 'now' | 'past' | 'bad';
  /** Duration or progress. */
  readonly note: string;
}

/** Shows the steps of a task. Updates only what changed, so that screen readers announce only changes. */
export function showSteps(list: HTMLElement, steps: readonly Step[]): void {
  while (list.children.length > steps.length) list.lastElementChild?.remove();
  steps.forEach(({ label, state, note }, index) => {
    const item = list.children[index] ?? list.appendChild(emptyStep());
    item.setAttribute('data-state', state);
    if (state === 'now') item.setAttribute('aria-current', 'step');
    else item.removeAttribute('aria-current');
    const [, name, time] = item.children;
    if (name && name.textContent !== label) name.textContent = label;
    if (time && time.textContent !== note) time.textContent = note;
  });
}

const emptyStep = () =>
  el(
    'li',
    {},
    el('span', { class: 'dot', 'aria-hidden': true }),
    el('span', { class: 'label' }),
    el('span', { class: 'time' }),
  );

import { el } from './dom.ts';

export interface Bar {
  readonly name: string;
  readonly label: string;
  /** 0..1; absent if the bar has no value. */
  readonly value?: number;
}

export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly emptyText?: string;
  readonly tone: 'strong' | 'quiet' | 'good';
}

interface BarOptions {
  readonly chosen?: string | undefined;
  readonly share: (value: number) => string;
  readonly onChoose: (bar: Bar) => void;
}

/**
 * Shows classes as bars that form a radio group: it supports arrow keys, and screen readers announce "crack 91 %, 1
 * of 8".
 */
export function showBars(root: HTMLElement, groups: readonly BarGroup[], options: BarOptions): void {
  root.replaceChildren(
    ...groups.map(({ title, bars, emptyText, tone }) =>
      el(
        'section',
        { class: 'bars', 'data-tone': tone },
        el('h3', {}, title),
        ...(bars.length === 0 && emptyText ? [el('p', { class: 'empty' }, emptyText)] : []),
        ...bars.map((bar) => row(bar, options)),
      ),
    ),
  );
}

function row(bar: Bar, { chosen, share, onChoose }: BarOptions): HTMLElement {
  const radio = el('input', { type: 'radio', name: 'class', value: bar.name, class: 'visually-hidden' });
  radio.checked = bar.name === chosen;
  radio.addEventListener('change', () => onChoose(bar));
  const label = el('label', { class: 'bar' }, radio, el('span', { class: 'name' }, bar.label));
  if (bar.value === undefined) return label;
  const fill = el('span', { class: 'fill' });
  // Set through the style object: the content security policy forbids style attributes.
  fill.style.inlineSize = `${Math.max(0, Math.min(1, bar.value)) * 100}%`;
  label.append(
    el('span', { class: 'value' }, share(bar.value)),
    el('span', { class: 'track', 'aria-hidden': 'true' }, fill),
  );
  return label;
}

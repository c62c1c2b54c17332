import type { UiTexts } from '../texts.ts';
import { copyOnClick } from './copy.ts';
import { el } from './dom.ts';
import type { TaskState } from './upload-job.ts';

export function taskDetails(
  id: string,
  state: TaskState | undefined,
  words: {
    readonly ui: UiTexts;
    readonly texts: { readonly task: string; readonly taskId: string; readonly again: string; readonly answer: string };
    readonly facts: readonly (readonly [name: string, value: string])[];
  },
): HTMLElement {
  const { ui, texts, facts } = words;
  const curl = `curl -H "Authorization: Bearer $TOKEN" '${new URL(`result/${id}`, location.href)}'`;
  const copied = (text: string) => {
    const button = el('button', { type: 'button', class: 'small' }, ui.copy);
    copyOnClick(button, () => text, ui);
    return button;
  };
  const fact = (name: string, ...value: (Node | string)[]) => [el('dt', {}, name), el('dd', {}, ...value)];
  return el(
    'details',
    { class: 'task' },
    el('summary', {}, texts.task),
    el(
      'dl',
      {},
      ...fact(texts.taskId, el('code', {}, id), ' ', copied(id)),
      ...facts.flatMap(([name, value]) => fact(name, value)),
    ),
    el('p', {}, texts.again, ' ', copied(curl)),
    el('pre', { tabindex: '0' }, curl),
    ...(state ? [el('p', {}, texts.answer), el('pre', { tabindex: '0' }, JSON.stringify(state, null, 2))] : []),
  );
}

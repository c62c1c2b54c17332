import { type BarGroup, showBars } from '../../../ui/browser/bars.ts';
import { copies } from '../../../ui/browser/copy.ts';
import { byId, el } from '../../../ui/browser/dom.ts';
import type { Inspection, TaskState } from './inspection.ts';
import type { Words } from './words.ts';

/** What came out: the verdict in words, the classes as bars, and the task for who goes on with the API. */
export function showOutcome(it: Inspection, words: Words, onChoose: (name: string) => void): void {
  const outcome = byId('outcome');
  outcome.hidden = it.stage !== 'done' && it.stage !== 'failed' && it.stage !== 'cancelled';
  outcome.replaceChildren();
  if (outcome.hidden) return;
  const { result } = it.state ?? {};
  outcome.append(
    ...(it.stage === 'done' && result ? found(it, result, words, onChoose) : lost(it, words)),
    ...(it.taskId === undefined ? [] : [task(it, it.taskId, words)]),
  );
}

function found(
  it: Inspection,
  result: NonNullable<TaskState['result']>,
  words: Words,
  onChoose: (name: string) => void,
) {
  const { texts, numbers, title, verdict } = words;
  const sound = result.defects.length === 0;
  const bar = ({ name, conf }: { name: string; conf: number }) => ({ name, label: title(name), value: conf });
  const groups: BarGroup[] = [
    { title: texts.defects, bars: result.defects.map(bar), empty: texts.noDefects, tone: 'strong' },
    { title: texts.groups, bars: result.masters.map(bar), tone: 'quiet' },
  ];
  const classes = el('div', { role: 'radiogroup', 'aria-label': texts.chooseClass });
  showBars(classes, groups, { chosen: it.shown, share: numbers.share, onChoose: ({ name }) => onChoose(name) });
  return [
    el(
      'div',
      { class: 'verdict', 'data-sound': String(sound) },
      el('h2', { id: 'verdict' }, verdict(result)),
      ...(sound ? [el('p', {}, texts.soundWhy)] : []),
      el('p', { class: 'surface' }, el('span', {}, texts.surface), el('strong', {}, title(result.surface))),
    ),
    classes,
    el('p', { class: 'hint' }, texts.chooseClass),
  ];
}

function lost(it: Inspection, words: Words): HTMLElement[] {
  const { texts } = words;
  if (it.stage === 'cancelled' || !it.failure) return [el('h2', { id: 'verdict' }, texts.cancelled)];
  const { code } = it.failure;
  return [
    el(
      'div',
      { class: 'verdict', 'data-failed': true },
      el('h2', { id: 'verdict' }, texts.failed),
      el('p', {}, words.failure(it.failure)),
      ...(code ? [el('p', { class: 'hint' }, `${texts.code}: `, el('code', {}, code))] : []),
    ),
  ];
}

function task(it: Inspection, id: string, { texts, ui, numbers }: Words): HTMLElement {
  const curl = `curl -H "Authorization: Bearer $TOKEN" '${new URL(`result/${id}`, location.href)}'`;
  const copied = (text: string) => {
    const button = el('button', { type: 'button', class: 'small' }, ui.copy);
    copies(button, () => text, ui);
    return button;
  };
  const { model_version: version, processing_time_ms: ms } = it.state ?? {};
  const fact = (name: string, ...value: (Node | string)[]) => [el('dt', {}, name), el('dd', {}, ...value)];
  return el(
    'details',
    { class: 'task' },
    el('summary', {}, texts.task),
    el(
      'dl',
      {},
      ...fact(texts.taskId, el('code', {}, id), ' ', copied(id)),
      ...(version === undefined ? [] : fact(texts.modelVersion, version)),
      ...(ms === undefined ? [] : fact(texts.work, numbers.duration(ms))),
    ),
    el('p', {}, texts.again, ' ', copied(curl)),
    el('pre', { tabindex: '0' }, curl),
    ...(it.state ? [el('p', {}, texts.answer), el('pre', { tabindex: '0' }, JSON.stringify(it.state, null, 2))] : []),
  );
}

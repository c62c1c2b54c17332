import { type BarGroup, showBars } from '../../../ui/browser/bars.ts';
import { byId, el } from '../../../ui/browser/dom.ts';
import { lost } from '../../../ui/browser/errand-views.ts';
import { taskDetails } from '../../../ui/browser/task-details.ts';
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

function task(it: Inspection, id: string, { texts, ui, numbers }: Words): HTMLElement {
  const { model_version: version, processing_time_ms: ms } = it.state ?? {};
  return taskDetails(id, it.state, {
    ui,
    texts,
    facts: [
      ...(version === undefined ? [] : [[texts.modelVersion, version] as const]),
      ...(ms === undefined ? [] : [[texts.work, numbers.duration(ms)] as const]),
    ],
  });
}

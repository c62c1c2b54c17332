import { type BarGroup, showBars } from '../../../ui/browser/bars.ts';
import { byId, el } from '../../../ui/browser/dom.ts';
import { taskDetails } from '../../../ui/browser/task-details.ts';
import { failureView } from '../../../ui/browser/upload-views.ts';
import type { Formatters } from './formatters.ts';
import type { Inspection, TaskState } from './inspection.ts';

export function showResult(job: Inspection, words: Formatters, onChoose: (name: string) => void): void {
  const outcome = byId('outcome');
  outcome.hidden = job.stage !== 'done' && job.stage !== 'failed' && job.stage !== 'cancelled';
  outcome.replaceChildren();
  if (outcome.hidden) return;
  const { result } = job.state ?? {};
  outcome.append(
    ...(job.stage === 'done' && result ? resultView(job, result, words, onChoose) : failureView(job, words)),
    ...(job.taskId === undefined ? [] : [detailsView(job, job.taskId, words)]),
  );
}

function resultView(
  job: Inspection,
  result: NonNullable<TaskState['result']>,
  words: Formatters,
  onChoose: (name: string) => void,
) {
  const { texts, numbers, title, summary } = words;
  const hasNoDefects = result.defects.length === 0;
  const bar = ({ name, conf }: { name: string; conf: number }) => ({ name, label: title(name), value: conf });
  const groups: BarGroup[] = [
    { title: texts.defects, bars: result.defects.map(bar), emptyText: texts.noDefects, tone: 'strong' },
    { title: texts.groups, bars: result.masters.map(bar), tone: 'quiet' },
  ];
  const classes = el('div', { role: 'radiogroup', 'aria-label': texts.chooseClass });
  showBars(classes, groups, {
    chosen: job.selectedClass,
    share: numbers.share,
    onChoose: ({ name }) => onChoose(name),
  });
  return [
    el(
      'div',
      { class: 'verdict', 'data-sound': String(hasNoDefects) },
      el('h2', { id: 'verdict' }, summary(result)),
      ...(hasNoDefects ? [el('p', {}, texts.soundWhy)] : []),
      el('p', { class: 'surface' }, el('span', {}, texts.surface), el('strong', {}, title(result.surface))),
    ),
    classes,
    el('p', { class: 'hint' }, texts.chooseClass),
  ];
}

function detailsView(job: Inspection, id: string, { texts, ui, numbers }: Formatters): HTMLElement {
  const { model_version: version, processing_time_ms: ms } = job.state ?? {};
  return taskDetails(id, job.state, {
    ui,
    texts,
    facts: [
      ...(version === undefined ? [] : [[texts.modelVersion, version] as const]),
      ...(ms === undefined ? [] : [[texts.work, numbers.duration(ms)] as const]),
    ],
  });
}

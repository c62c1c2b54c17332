import type { UiTexts } from '../texts.ts';
import { copyOnClick } from './copy.ts';
import { announce, byId, el, fill } from './dom.ts';
import { refusalText } from './error-texts.ts';
import type { NumberFormats } from './number-formats.ts';
import { showSteps } from './steps.ts';
import { isOver, type TaskState, type UploadJob } from './upload-job.ts';
import { progressSteps, stepNote } from './upload-steps.ts';
import type { UploadTexts } from './upload-texts.ts';

export interface UploadFormatters<Job extends UploadJob> {
  readonly texts: UploadTexts;
  readonly ui: UiTexts;
  readonly numbers: NumberFormats;
  resultLine(job: Job): string;
  /** For screen readers. */
  announcement(job: Job): string;
}

export function showProgress<Job extends UploadJob>(
  job: Job,
  words: UploadFormatters<Job>,
  workerIsWarm: boolean,
): void {
  byId('file-name').textContent = job.name;
  byId('cancel').hidden = isOver(job);
  byId('note').textContent = stepNote(job, words, workerIsWarm);
  showSteps(byId('steps'), progressSteps(job, words));
  announce(announcementOf(job, words));
}

function announcementOf<Job extends UploadJob>(job: Job, words: UploadFormatters<Job>): string {
  const { announcements } = words.texts;
  const { name } = job;
  if (job.stage === 'waiting') return fill(announcements.waiting, { name });
  if (job.stage === 'done') return fill(announcements.done, { name, text: words.announcement(job) });
  if (job.failure) return fill(announcements.failed, { name, sentence: failureIn(job.failure, words) });
  return words.ui.steps[job.stage];
}

/** Replaces the panel of a finished job: its result or failure, and the details of its task. */
export function showOutcome<Result, State extends TaskState & { readonly result?: Result }>(
  job: UploadJob<State>,
  words: Pick<UploadFormatters<never>, 'texts' | 'ui' | 'numbers'>,
  view: { result: (result: Result) => HTMLElement[]; facts: readonly (readonly [name: string, value: string])[] },
): void {
  const outcome = byId('outcome');
  outcome.hidden = !isOver(job);
  outcome.replaceChildren();
  if (outcome.hidden) return;
  const { result, processing_time_ms: ms, project, tags } = job.state ?? {};
  outcome.append(...(job.stage === 'done' && result ? view.result(result) : failureView(job, words)));
  const groups = [...(project === undefined ? [] : [project]), ...(tags ?? [])];
  if (groups.length > 0) {
    outcome.append(
      el('p', { class: 'groups' }, ...groups.map((name) => el('span', { class: 'group', dir: 'auto' }, name))),
    );
  }
  if (job.taskId === undefined) return;
  const time = ms === undefined ? [] : [[words.texts.work, words.numbers.duration(ms)] as const];
  outcome.append(taskDetails(job.taskId, job.state, { ...words, facts: [...view.facts, ...time] }));
}

function failureView(job: UploadJob, words: Pick<UploadFormatters<never>, 'texts' | 'ui'>): HTMLElement[] {
  const { texts } = words;
  if (job.stage === 'cancelled' || !job.failure) return [el('h2', { id: 'result-title' }, texts.cancelled)];
  const { code } = job.failure;
  return [
    el(
      'div',
      { class: 'result-head', 'data-failed': true },
      el('h2', { id: 'result-title' }, texts.failed),
      el('p', {}, failureIn(job.failure, words)),
      ...(code ? [el('p', { class: 'hint' }, `${texts.code}: `, el('code', {}, code))] : []),
    ),
  ];
}

/** The uploads of this page, newest first. They are lost when the tab is closed. */
export function showSessionUploads<Job extends UploadJob>(
  all: readonly Job[],
  current: Job | undefined,
  options: {
    readonly resultLine: (job: Job) => string;
    readonly thumbnail: (job: Job) => HTMLElement;
    readonly onChoose: (job: Job) => void;
  },
): void {
  byId('session-uploads').hidden = all.length < 2;
  const list = byId('session-upload-list');
  // Ignores upload progress, which is reported many times per second.
  const state = all.map((job) => `${job.stage}${job === current}`).join();
  if (list.dataset['state'] === state) return;
  list.dataset['state'] = state;
  const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
  list.replaceChildren(
    ...[...all].reverse().map((job) => {
      const button = el(
        'button',
        { type: 'button', 'data-stage': job.stage, ...(job === current && { 'aria-current': 'true' }) },
        options.thumbnail(job),
        el('span', { class: 'name' }, job.name),
        el('span', { class: 'result-line' }, options.resultLine(job)),
      );
      button.addEventListener('click', () => options.onChoose(job));
      return el('li', {}, button);
    }),
  );
  // Restores the keyboard focus in the new list.
  if (focused >= 0) list.children[focused]?.querySelector('button')?.focus();
}

/** The message in the page's language, or else the message of the service. */
const failureIn = (
  { code, sentence }: NonNullable<UploadJob['failure']>,
  { texts, ui }: { readonly texts: Pick<UploadTexts, 'failures'>; readonly ui: UiTexts },
): string => texts.failures[code] ?? refusalText(ui.refusals, { code }) ?? sentence;

function taskDetails(
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

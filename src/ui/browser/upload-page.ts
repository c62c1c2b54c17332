import type { PageData } from '../texts.ts';
import { type ApiClient, createApiClient } from './api.ts';
import { byId, fill } from './dom.ts';
import { listenForFiles } from './dropzone.ts';
import { requireValidTags } from './grouping.ts';
import { createTimeline } from './timeline.ts';
import { createTokenStore } from './token.ts';
import { isOver, type UploadJob } from './upload-job.ts';
import { createUploadQueue } from './upload-queue.ts';
import type { UploadPageData, UploadTexts } from './upload-texts.ts';
import { showProgress, showSessionUploads, type UploadFormatters } from './upload-views.ts';
import { createWorkerStatus } from './worker-status.ts';

export interface UploadPageHandlers<Job extends UploadJob> {
  readonly concurrency: number;
  /** Element ids. */
  readonly inputs: readonly string[];
  /** Whether the service certainly does not support this declared media type. */
  isUnsupported(type: string): boolean;
  /** For a file, or for the id of a task. */
  createJob(source: File | string): Job;
  run(job: Job, onChange: () => void): Promise<void>;
  thumbnail(job: Job): HTMLElement;
  /** Shows the file and its details; called on every change. */
  show(job: Job): void;
  showResult(job: Job): void;
}

/** For files that a page creates itself, such as recordings. */
export interface FileIntake {
  addFiles(files: readonly File[]): void;
  showErrors(messages: readonly string[]): void;
}

/** Initializes an upload page. `open` is not called if the server rendered a notice in place of the workspace. */
export function initUploadPage<Job extends UploadJob>(
  { ui, data }: PageData<UploadPageData<UploadTexts>>,
  formatters: UploadFormatters<Job>,
  open: (api: ApiClient, intake: FileIntake) => UploadPageHandlers<Job>,
): void {
  const { texts, needsToken, maxBytes, exampleUrl } = data;
  const model = createWorkerStatus(texts.model);
  if (!document.getElementById('workspace')) return;
  const tokens = createTokenStore(ui.token);
  const api = createApiClient({ tokens, needsToken, errorTexts: ui.refusals });
  const handlers = open(api, { addFiles, showErrors });
  const run = async (job: Job, onChange: () => void) => {
    await handlers.run(job, onChange);
    void model.refresh();
  };
  const queue = createUploadQueue<Job>({
    api,
    concurrency: handlers.concurrency,
    run,
    onChange,
    unexpected: ui.unexpected,
  });
  let current: Job | undefined;

  const { size } = formatters.numbers;
  byId('limits').textContent = fill(texts.drop.limits, { size: size(maxBytes) });
  listenForFiles({ inputs: handlers.inputs, onFiles: chooseFiles });
  byId('cancel').addEventListener('click', () => current && void queue.cancel(current));
  const example = document.getElementById('example');
  example?.addEventListener('click', () => exampleUrl && void takeExample(exampleUrl));
  if (needsToken && tokens.current() === undefined) void tokens.prompt();
  const linkedTask = /^\?task=(\w+)$/.exec(location.search)?.[1];
  if (linkedTask !== undefined) {
    queue.add(handlers.createJob(linkedTask));
    select(queue.all[0]!);
    queue.startNext();
  }
  addEventListener('beforeunload', (event) => {
    if (queue.all.some((job) => job.taskId === undefined && !isOver(job))) event.preventDefault();
  });
  setInterval(() => {
    if (current && !isOver(current)) showProgress(current, formatters, model.isWarm());
  }, 100);

  function chooseFiles(files: readonly File[]): void {
    try {
      requireValidTags();
      addFiles(files);
    } catch (error) {
      showErrors([(error as Error).message]);
    }
  }

  function addFiles(files: readonly File[]): void {
    const errors: string[] = [];
    for (const file of files) {
      const reason = unfit(file);
      if (reason) errors.push(reason);
      else queue.add(handlers.createJob(file));
    }
    showErrors(errors);
    const last = queue.all.at(-1);
    if (last && errors.length < files.length) select(last);
    queue.startNext();
  }

  /** Only what is certain; the service detects the media type from the bytes. */
  function unfit({ name, size: bytes, type }: File): string | undefined {
    if (bytes === 0) return fill(texts.empty, { name });
    if (bytes > maxBytes) return fill(texts.tooLarge, { name, size: size(bytes), limit: size(maxBytes) });
    return handlers.isUnsupported(type) ? fill(texts.unsupported, { name }) : undefined;
  }

  async function takeExample(url: string): Promise<void> {
    try {
      const bytes = await (await fetch(url)).blob();
      addFiles([new File([bytes], url.split('/').at(-1) ?? '', { type: bytes.type })]);
    } catch {
      showErrors([texts.model.offline]);
    }
  }

  function select(job: Job): void {
    current = job;
    byId('drop-zone').classList.add('slim');
    byId('instructions').hidden = true;
    byId('drop-zone-title').textContent = texts.drop.more;
    byId('progress').hidden = false;
    onChange(job);
  }

  function onChange(job: Job): void {
    showSessionUploads(queue.all, current, {
      resultLine: formatters.resultLine,
      thumbnail: handlers.thumbnail,
      onChoose: select,
    });
    if (job !== current) return;
    const search = job.taskId === undefined ? '' : `?task=${job.taskId}`;
    if (location.search !== search) history.replaceState(null, '', location.pathname + search);
    showProgress(job, formatters, model.isWarm());
    handlers.show(job);
    // Keeps the position and focus of an unchanged result.
    const state = `${queue.all.indexOf(job)} ${job.stage}`;
    if (byId('outcome').dataset['state'] === state) return;
    byId('outcome').dataset['state'] = state;
    handlers.showResult(job);
    const { taskId } = job;
    if (taskId !== undefined && isOver(job)) {
      byId('outcome').append(createTimeline(() => api.call(`result/${taskId}/timeline`), formatters));
    }
  }

  function showErrors(messages: readonly string[]): void {
    const element = byId('error');
    element.textContent = messages.join(' ');
    element.hidden = messages.length === 0;
  }
}

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import pLimit from 'p-limit';
import { omitUndefined } from '../../base/omit-undefined.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { AssayError, NotFound, TaskFailed, type TaskHandle } from '../../client/index.ts';
import { Interruption } from '../client-command.ts';
import { isFile } from '../local-files.ts';
import { progressBar } from '../progress.ts';
import type { LimitWaits } from '../rate-limit-notice.ts';
import { statusLine } from '../terminal.ts';
import type { Item } from './find-items.ts';
import type { Failure, Manifest, Progress, TaskRequest } from './manifest.ts';

/** How items become tasks, and tasks become results. */
export interface FolderWork<Result> {
  /** Uploads the file of an item, if that is a request of its own, and returns its URL. */
  upload?(item: Item, signal: AbortSignal): Promise<string>;
  /** Creates the task of an item; the same task for the same request. */
  create(item: Item, request: TaskRequest, signal: AbortSignal): Promise<TaskHandle>;
  /** Waits for a task, and writes files of its own. Throws `TaskFailed`. */
  finish(task: TaskHandle, item: Item, signal: AbortSignal): Promise<Result>;
  /** The file that `finish` writes; absent if it writes none. */
  fileOf?(item: Item): string;
}

export interface Outcome<Result> {
  readonly item: Item;
  readonly task: string | undefined;
  readonly result: Result | undefined;
  readonly failure: Failure | undefined;
  /** Nothing was done: the result is of an earlier run, or its file must not be written. */
  readonly isSkipped?: true;
}

/** The service refused the item itself; other errors stop the whole run. */
const REFUSED = [400, 413, 415, 422];
const UNWRITABLE = 'UNWRITABLE';
const FOREIGN_FILE: Failure = {
  code: 'OUTPUT_EXISTS',
  message: 'A file that this command did not write is at the place of its output. Move it, or choose another --output.',
};

/** Files that are uploaded at the same time. */
const MAX_UPLOADS = 8;

interface RunOptions<Result> {
  readonly manifest: Manifest<Result>;
  readonly concurrency: number;
  readonly limitWaits?: LimitWaits;
  readonly signal: AbortSignal;
}

/**
 * Runs the items that the manifest does not list as done, `concurrency` at a time, and shows one progress bar, without a
 * terminal ten lines at most. Failed items are tried again by the next run. Throws the first error that is not about one item.
 */
export async function runFolder<Result>(
  items: readonly Item[],
  work: FolderWork<Result>,
  { manifest, concurrency, limitWaits, signal }: RunOptions<Result>,
): Promise<Outcome<Result>[]> {
  const limit = pLimit(concurrency);
  const stop = new AbortController();
  const own = AbortSignal.any([signal, stop.signal]);
  // Each task that waits adds a listener.
  setMaxListeners(0, own);
  const progress = showProgress(items.length, limitWaits);
  const limited = limitUploads(work);
  async function run(item: Item): Promise<Outcome<Result>> {
    own.throwIfAborted();
    const outcome = await runItem(item, limited, manifest, own);
    progress.count(outcome);
    return outcome;
  }
  try {
    const runs = items.map((item) => limit(() => run(item)));
    for (const one of runs) one.catch((error: unknown) => stop.abort(error));
    const settled = await Promise.allSettled(runs);
    if (signal.aborted) throw progress.interruption();
    const error = own.aborted ? own.reason : undefined;
    if (error !== undefined) throw error;
    return settled.map((one) => (one as PromiseFulfilledResult<Outcome<Result>>).value);
  } finally {
    progress.close();
  }
}

function limitUploads<Result>({ upload, create, ...rest }: FolderWork<Result>): FolderWork<Result> {
  const limit = pLimit(MAX_UPLOADS);
  return {
    ...rest,
    ...(upload && { upload: (item, signal) => limit(() => upload(item, signal)) }),
    create: (item, request, signal) => limit(() => create(item, request, signal)),
  };
}

async function runItem<Result>(
  item: Item,
  work: FolderWork<Result>,
  manifest: Manifest<Result>,
  signal: AbortSignal,
): Promise<Outcome<Result>> {
  const known = manifest.progressOf(item);
  const file = work.fileOf?.(item);
  const exists = file !== undefined && (await isFile(file));
  // Not recorded: the next run checks again.
  if (exists && !manifest.mayHaveWritten(item, file)) {
    return { item, task: undefined, result: undefined, failure: FOREIGN_FILE, isSkipped: true };
  }
  if (known?.result !== undefined && (exists || file === undefined)) {
    return { item, task: known.task, result: known.result, failure: undefined, isSkipped: true };
  }
  let task = known?.failure ? undefined : known?.task;
  try {
    const handle = handleOf(known);
    const result = (handle && (await finishKnown(handle))) || (await finish());
    await manifest.record(item, { ...(task && { task }), result });
    return { item, task, result, failure: undefined };
  } catch (error) {
    const failure = signal.aborted ? undefined : failureOf(error, task);
    if (!failure) throw error;
    // The next run writes the result of the same task.
    if (failure.code !== UNWRITABLE) await manifest.record(item, { ...(task && { task }), failure });
    return { item, task, result: undefined, failure };
  }

  /** Undefined if the task has expired meanwhile. */
  async function finishKnown(handle: TaskHandle): Promise<Result | undefined> {
    return work.finish(handle, item, signal).catch((error: unknown) => {
      if (error instanceof NotFound) return undefined;
      throw error;
    });
  }

  async function finish(): Promise<Result> {
    // A task of an interrupted run may exist although its id was not recorded.
    const unanswered = known?.task === undefined && !known?.failure ? known?.request : undefined;
    return (unanswered && (await repeat(unanswered))) || send(await newRequest());
  }

  async function newRequest(): Promise<TaskRequest> {
    task = undefined;
    const url = await work.upload?.(item, signal);
    const request = { key: randomUUID(), ...(url !== undefined && { url }) };
    await manifest.record(item, { request });
    return request;
  }

  async function send(request: TaskRequest): Promise<Result> {
    const handle = await work.create(item, request, signal);
    const { task_id, estimated_wait_seconds, accepted_at_ms } = handle;
    task = task_id;
    await manifest.record(item, { task, ...omitUndefined({ estimated_wait_seconds, accepted_at_ms }) });
    return work.finish(handle, item, signal);
  }

  /** Undefined if the options have changed, such as the priority, or if the uploaded file has expired. */
  async function repeat(request: TaskRequest): Promise<Result | undefined> {
    return send(request).catch((error: unknown) => {
      const hasChanged = error instanceof AssayError && error.code === 'IDEMPOTENCY_KEY_REUSED';
      const hasExpired = request.url !== undefined && error instanceof TaskFailed && error.code.endsWith('_NOT_FOUND');
      if (hasChanged || hasExpired) return undefined;
      throw error;
    });
  }
}

/** Undefined without a task whose result can be read. The manifests of earlier versions have no estimate. */
function handleOf({
  task,
  failure,
  estimated_wait_seconds,
  accepted_at_ms,
}: Progress<unknown> = {}): TaskHandle | undefined {
  if (task === undefined || failure) return undefined;
  return { task_id: task, ...omitUndefined({ estimated_wait_seconds, accepted_at_ms }) };
}

/** Undefined for an error that is not about one item. */
function failureOf(error: unknown, task: string | undefined): Failure | undefined {
  if (error instanceof OperatorError) return { code: task ? UNWRITABLE : 'UNREADABLE', message: error.message };
  const isOfItem = error instanceof TaskFailed || (error instanceof AssayError && REFUSED.includes(error.status));
  return isOfItem ? { code: error.code, message: error.message } : undefined;
}

function showProgress(total: number, limitWaits?: LimitWaits) {
  const status = statusLine(process.stderr);
  const begun = performance.now();
  const waitedBefore = limitWaits?.seconds() ?? 0;
  let done = 0;
  let failed = 0;
  let skipped = 0;
  const line = () => {
    const waited = (limitWaits?.seconds() ?? 0) - waitedBefore;
    const seconds = Math.max(0, (performance.now() - begun) / 1000 - waited);
    return formatFolderProgress({ done, failed, skipped, total }, seconds, waited);
  };
  const show = () => status.show(line());
  show();
  return {
    count({ failure, isSkipped }: Pick<Outcome<unknown>, 'failure' | 'isSkipped'>): void {
      done++;
      if (failure) failed++;
      if (isSkipped) skipped++;
      show();
      // Logs have a line per tenth; the report of the command follows the last one.
      const isTenth = Math.floor((10 * done) / total) > Math.floor((10 * (done - 1)) / total);
      if (!process.stderr.isTTY && isTenth && done < total) console.error(line());
    },
    interruption: () =>
      new Interruption(`${done} of ${total} finished${failedText(failed)}. Run the same command again to continue.`),
    close: () => status.clear(),
  };
}

/**
 * `seconds`: since the start of the run, without those that it `waited` for a limit, which come at once and would make the
 * estimate jump. `skipped`: of `done`, without time of this run.
 */
export function formatFolderProgress(
  { done, failed, skipped, total }: { done: number; failed: number; skipped: number; total: number },
  seconds: number,
  waited = 0,
): string {
  const finished = done - skipped;
  const left = finished === 0 ? '' : `, about ${Math.ceil((seconds / finished) * (total - done))} s left`;
  const withWaits = left !== '' && waited > 0 ? ' and waits for the limit' : '';
  return `${progressBar(done / total)} ${done} of ${total}${failedText(failed)}${left}${withWaits}`;
}

const failedText = (failed: number): string => (failed > 0 ? `, ${failed} failed` : '');

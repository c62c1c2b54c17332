import {
  Assay,
  AssayError,
  type Batch,
  type BatchFormat,
  type BatchItem,
  type InvalidItem,
  type ListItemsOptions,
  ValidationProblem,
} from '../client/index.ts';
import { openBatchFile } from './batch-file.ts';
import {
  type Created,
  groupingOf,
  otherServicesHint,
  printResult,
  RETRIES,
  runClientCommand,
} from './client-command.ts';
import { needsOutput } from './document-files.ts';
import { writeOutputFile } from './local-files.ts';
import { withProgress } from './progress.ts';
import type { ServerOptions } from './resolve-server.ts';
import { onOneLine } from './terminal.ts';

export interface BatchesOptions extends ServerOptions {
  readonly service: 'defectoscopy' | 'stt' | 'passports';
  readonly json?: boolean;
}

export interface SubmitOptions extends BatchesOptions {
  readonly wait?: boolean;
  readonly skipInvalid?: boolean;
  readonly webhookUrl?: string;
  readonly project?: string;
  readonly tag?: readonly string[];
  readonly idempotencyKey?: string;
}

/** `assay batches`: prints the batches of a credential, newest first. */
export function listBatchesCommand(options: BatchesOptions, signal: AbortSignal): Promise<void> {
  return withBatches(options, signal, async (batches, outputEnd) => {
    let count = 0;
    for await (const batch of batches.list({ signal: AbortSignal.any([signal, outputEnd]) })) {
      count++;
      process.stdout.write(`${options.json ? JSON.stringify(batch) : lineOf(batch)}\n`);
    }
    if (count === 0) console.error(`No batches of ${options.service}; --service selects another service.`);
  });
}

/**
 * `assay batches submit`: creates a batch from JSON lines, or from a `.csv` or `.zip` file. With `--wait`, exit status 1 if an item has
 * failed or was cancelled.
 */
export function submitBatchCommand(path: string, options: SubmitOptions, signal: AbortSignal): Promise<void> {
  const { webhookUrl, idempotencyKey, skipInvalid, wait } = options;
  const accepted: Created = { noun: 'batch', ids: [] };
  return withBatches({ ...options, created: accepted }, signal, async (batches) => {
    const { data, ...file } = await openBatchFile(path, options.service);
    const request = { webhookUrl, idempotencyKey, skipInvalid, ...file, ...groupingOf(options), signal };
    const created = await batches.create(data, request).catch(async (error: unknown) => {
      const { invalid = 0, total = 0, items = [] } = (error instanceof ValidationProblem && error.batch) || {};
      if (options.json && total > 0) await printResult(options, { invalid, total, items }, []);
      else if (invalid > 1 || invalid < total)
        printInvalid(items.slice(0, MAX_LISTED), invalid, `Invalid items: ${invalid} of ${total}`);
      if (error instanceof ValidationProblem && invalid < total)
        error.message += ' Repeat with --skip-invalid to leave them out.';
      throw error;
    });
    accepted.ids.push(created.batch_id);
    if (created.left_out) {
      const { items, count } = created.left_out;
      printInvalid(items, count, `Left out: ${count}`);
    }
    if (created.ignored) console.error(`Hidden and system files that were ignored: ${created.ignored}`);
    if (!wait) return printResult(options, created, [created.batch_id]);
    // For `batches status` after a wait that an error ends.
    console.error(onOneLine(`Waiting for the batch ${created.batch_id}.`));
    const batch = await withProgress((onState) =>
      batches.wait(created.batch_id, {
        signal,
        onState: ({ total, counts: { queued, processing } }) =>
          onState({ status: 'processing', progress: 1 - (queued + processing) / total }),
      }),
    );
    await printBatch(options, batch);
    // As for a single task, whose cancellation is a failure.
    if (batch.counts.failed + batch.counts.cancelled > 0) process.exitCode = 1;
  });
}

/** `assay batches status`: prints the state of a batch with its first errors. */
export function batchStatusCommand(id: string, options: BatchesOptions, signal: AbortSignal): Promise<void> {
  return withBatches(options, signal, async (batches) => printBatch(options, await batches.read(id, { signal })));
}

/** `assay batches items`: prints the items of a batch, or those in one state. */
export function listItemsCommand(
  id: string,
  options: BatchesOptions & Pick<ListItemsOptions, 'status'>,
  signal: AbortSignal,
): Promise<void> {
  return withBatches(options, signal, async (batches, outputEnd) => {
    const { status, json } = options;
    let count = 0;
    for await (const item of batches.items(id, { status, signal: AbortSignal.any([signal, outputEnd]) })) {
      count++;
      process.stdout.write(`${json ? JSON.stringify(item) : lineOfItem(item)}\n`);
    }
    if (count === 0) console.error(`The batch has no ${status === undefined ? '' : `${status} `}items.`);
  });
}

/** `assay batches results`: writes the results of a completed batch; `xlsx` and `zip` not to a terminal. */
export async function batchResultsCommand(
  id: string,
  options: BatchesOptions & { readonly format: BatchFormat; readonly output?: string },
  signal: AbortSignal,
): Promise<void> {
  const { format, output } = options;
  if (output === undefined && process.stdout.isTTY && (format === 'xlsx' || format === 'zip'))
    throw needsOutput(format, 'a file');
  return withBatches(options, signal, async (batches) => {
    const bytes = await batches.results(id, format, { signal });
    if (output === undefined) process.stdout.write(bytes);
    else await writeOutputFile(output, bytes);
  });
}

/** `assay batches cancel` and `retry`: print the number of items. */
export function changeBatchCommand(
  change: 'cancel' | 'retry',
  id: string,
  options: BatchesOptions,
  signal: AbortSignal,
): Promise<void> {
  const name = change === 'cancel' ? 'cancelled' : 'retried';
  return withBatches(options, signal, async (batches) => {
    const count = await batches[change](id, { signal });
    if (count === 0)
      console.error(
        change === 'cancel'
          ? 'All tasks of the batch had already ended.'
          : notRetried(await batches.read(id, { signal })),
      );
    await printResult(options, { batch_id: id, [name]: count }, [`${name}: ${count}`]);
  });
}

function notRetried({ counts: { failed, cancelled } }: Batch): string {
  if (failed > 0)
    return `None of the ${failed} failed items can be retried: the errors are permanent, or the items have a webhook of their own or were deleted.`;
  return `No item has failed${cancelled > 0 ? ', and cancelled items are not retried' : ''}.`;
}

/** Of a refused file, which is checked again; items that are left out are listed here only. */
const MAX_LISTED = 10;

function printInvalid(items: readonly InvalidItem[], count: number, title: string): void {
  console.error(title);
  for (const { line, name = `line ${line}`, message } of items) console.error(onOneLine(`  ${name}: ${message}`));
  if (count > items.length) console.error(`  … and ${count - items.length} more`);
}

function withBatches(
  options: BatchesOptions & { readonly output?: string; readonly created?: Created },
  signal: AbortSignal,
  run: (batches: Assay[BatchesOptions['service']]['batches'], outputEnd: AbortSignal) => Promise<void>,
): Promise<void> {
  return runClientCommand(options.service, options, signal, ({ url, token, apiKey, ...rest }, outputEnd) =>
    run(
      new Assay({ [options.service]: { url, token, apiKey }, ...rest, retries: RETRIES })[options.service].batches,
      outputEnd,
    ).catch((error: unknown) => {
      if (error instanceof AssayError && error.code === 'BATCH_NOT_FOUND')
        error.message += ` ${otherServicesHint('batch', options.service)}`;
      throw error;
    }),
  );
}

const printBatch = (options: BatchesOptions, batch: Batch) =>
  printResult(options, batch, [
    lineOf(batch),
    ...batch.errors.map(({ position, task_id, name, error, error_code }) =>
      onOneLine(`  ${position}  ${name ?? task_id}  ${error_code}  ${error}`),
    ),
  ]);

function lineOf({ batch_id, status, total, counts, name }: Batch): string {
  const states = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${state} ${count}`] : []));
  return onOneLine([batch_id, status, `total ${total}`, ...states, ...(name === undefined ? [] : [name])].join('  '));
}

const lineOfItem = ({ position, task_id, name, status, error_code, error }: BatchItem) =>
  onOneLine([position, name ?? task_id, status, ...(error === undefined ? [] : [error_code, error])].join('  '));

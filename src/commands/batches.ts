import { extname } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
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
import {
  groupingOf,
  onOneLine,
  otherServicesHint,
  printResult,
  RETRIES,
  runClientCommand,
  TASK_CONTINUES,
} from './client-command.ts';
import { needsOutput } from './document-files.ts';
import { isMediaName } from './folder/find-items.ts';
import { openInputFile, writeOutputFile } from './local-files.ts';
import { withProgress } from './progress.ts';
import type { ServerOptions } from './resolve-server.ts';

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
    for await (const batch of batches.list({ signal: AbortSignal.any([signal, outputEnd]) })) {
      process.stdout.write(`${options.json ? JSON.stringify(batch) : lineOf(batch)}\n`);
    }
  });
}

/**
 * `assay batches submit`: creates a batch from JSON lines, or from a `.csv` or `.zip` file. With `--wait`, exit status 1 if an item has
 * failed or was cancelled.
 */
export function submitBatchCommand(path: string, options: SubmitOptions, signal: AbortSignal): Promise<void> {
  const { webhookUrl, idempotencyKey, skipInvalid, wait } = options;
  return withBatches({ ...options, interrupted: TASK_CONTINUES }, signal, async (batches) => {
    const contentType = CONTENT_TYPES[extname(path).toLowerCase()];
    if (isMediaName(path)) throw noList(path);
    if (options.service === 'passports' && contentType !== 'application/zip')
      throw new OperatorError(`A batch of passports must be a ZIP archive of PDFs (.zip), not ${path}.`);
    const { data } = await openInputFile(path);
    if (contentType !== 'application/zip' && (await isBinary(data))) throw noList(path);
    const request = { webhookUrl, idempotencyKey, skipInvalid, contentType, ...groupingOf(options), signal };
    const created = await batches.create(data, request).catch((error: unknown) => {
      const { invalid = 0, total = 0, items = [] } = (error instanceof ValidationProblem && error.batch) || {};
      if (error instanceof ValidationProblem && invalid < total) {
        printInvalid(items, `Invalid items: ${invalid} of ${total}`);
        error.message += ' Repeat with --skip-invalid to leave them out.';
      }
      throw error;
    });
    if (created.left_out) printInvalid(created.left_out.items, `Left out: ${created.left_out.count}`);
    if (created.ignored) console.error(`Hidden and system files that were ignored: ${created.ignored}`);
    if (!wait) return printResult(options, created, [created.batch_id]);
    // For `batches status` after an interrupted wait.
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
    for await (const item of batches.items(id, { status, signal: AbortSignal.any([signal, outputEnd]) })) {
      process.stdout.write(`${json ? JSON.stringify(item) : lineOfItem(item)}\n`);
    }
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
    if (change === 'cancel' && count === 0) console.error('All tasks of the batch had already ended.');
    await printResult(options, { batch_id: id, [name]: count }, [`${name}: ${count}`]);
  });
}

const noList = (path: string) =>
  new OperatorError(
    `${path} is not a list of items: a batch is JSON lines, a CSV (.csv) or a ZIP archive of files (.zip).`,
  );

/** As an archive of another kind, or a table with the wrong name. The service names the encoding of a text in UTF-16. */
async function isBinary(data: Blob): Promise<boolean> {
  const start = new Uint8Array(await data.slice(0, 4096).arrayBuffer());
  if (start[0]! + start[1]! === 0xff + 0xfe) return false;
  // Bytes that text in UTF-8 has only as control characters; single ones are errors of an item.
  return start.filter((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x20)).length > 0.01 * start.length;
}

function printInvalid(items: readonly InvalidItem[], title: string): void {
  console.error(title);
  for (const { line, name = `line ${line}`, message } of items) console.error(onOneLine(`  ${name}: ${message}`));
}

const CONTENT_TYPES: Readonly<Record<string, 'text/csv' | 'application/zip'>> = {
  '.csv': 'text/csv',
  '.zip': 'application/zip',
};

function withBatches(
  options: BatchesOptions & { readonly output?: string; readonly interrupted?: string },
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

function lineOf({ batch_id, status, total, counts }: Batch): string {
  const states = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${state} ${count}`] : []));
  return onOneLine([batch_id, status, `total ${total}`, ...states].join('  '));
}

const lineOfItem = ({ position, task_id, name, status, error_code, error }: BatchItem) =>
  onOneLine([position, name ?? task_id, status, ...(error === undefined ? [] : [error_code, error])].join('  '));

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  batchResultsCommand,
  batchStatusCommand,
  changeBatchCommand,
  listBatchesCommand,
  listItemsCommand,
  submitBatchCommand,
} from './batches.ts';
import { eventsCommand } from './events.ts';
import { transcribeCommand } from './task-commands.ts';

it.each(['xlsx', 'zip'] as const)('batches results does not write %s to a terminal', async (format) => {
  const { isTTY } = process.stdout;
  onTestFinished(() => {
    process.stdout.isTTY = isTTY;
  });
  process.stdout.isTTY = true;
  const { signal } = new AbortController();
  await expect(batchResultsCommand('any', { service: 'stt', format }, signal)).rejects.toThrow(
    `--format ${format} needs --output: a file.`,
  );
});

it.each([
  ['photos.tar.gz', gzipSync('photos')],
  ['list.csv', Buffer.from('PK\x03\x04')],
])('batches submit names the accepted forms for %s, which is no text', async (name, bytes) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-batch-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, name);
  await writeFile(path, bytes);
  const server = { service: 'stt', server: 'http://127.0.0.1:1', token: 'any' } as const;
  await expect(submitBatchCommand(path, server, new AbortController().signal)).rejects.toThrow(
    `${path} is not a list of items: a batch is JSON lines, a CSV (.csv) or a ZIP archive of files (.zip).`,
  );
});

it.each([
  ['photos.tar.gz', gzipSync('photos'), 'a gzip file (.gz, .tar.gz)'],
  ['photos.tar', Buffer.from(`photo.jpg${'\0'.repeat(248)}ustar`), 'a tar archive (.tar)'],
])('batches submit names the kind of %s that was renamed to .zip', async (_, bytes, kind) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-batch-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'photos.zip');
  await writeFile(path, bytes);
  const server = { service: 'stt', server: 'http://127.0.0.1:1', token: 'any' } as const;
  await expect(submitBatchCommand(path, server, new AbortController().signal)).rejects.toThrow(
    `${path} is not a ZIP archive but ${kind}, despite its extension.`,
  );
});

it.each([
  ['defectoscopy', 'https://storage.example.com/a.jpg\n', 'image_url'],
  ['stt', '[{"url": "https://storage.example.com/a.mp3"}]', 'url'],
] as const)(
  'batches submit of %s says how to send a list that is neither JSON lines nor CSV',
  async (service, text, column) => {
    const path = join(await mkdtemp(join(tmpdir(), 'assay-batch-')), 'list.txt');
    onTestFinished(() => rm(dirname(path), { recursive: true }));
    await writeFile(path, text);
    const server = { service, server: 'http://127.0.0.1:1', token: 'any' } as const;
    await expect(submitBatchCommand(path, server, new AbortController().signal)).rejects.toThrow(
      `${path} is not JSON lines, which have one {…} per line. Save a list of URLs as CSV (.csv) below the header ${column}.`,
    );
  },
);

it.each([
  ['utf16.jsonl', Buffer.from('\ufeff{"photo": "a.jpg"}\n', 'utf16le')],
  ['bom.jsonl', Buffer.from('\ufeff {"photo": "a.jpg"}\n')],
  ['empty.jsonl', Buffer.from('\n')],
  ['utf16.csv', Buffer.from('\ufeffphoto\na.jpg\n', 'utf16le')],
  ['control.jsonl', Buffer.from(`{"photo": "\x01"}\n${'{"photo": "a.jpg"}\n'.repeat(20)}`)],
])('batches submit leaves %s, a text that may have errors, to the service', async (name, bytes) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-batch-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), bytes);
  const server = { service: 'stt', server: 'http://127.0.0.1:1', token: 'any' } as const;
  // No server answers, so the command ends with the signal.
  const signal = AbortSignal.timeout(300);
  await expect(submitBatchCommand(join(folder, name), server, signal)).resolves.toBeUndefined();
});

/** A server with one response for every request, or by path; none without a body, which aborts `unanswered`. */
async function startServer(status: number, body?: object | ((path: string) => object | undefined)) {
  const interruption = new AbortController();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    requests.push(`${request.method} ${request.url}`);
    const answer = typeof body === 'function' ? body(request.url!.replace(/\?.*/, '')) : body;
    if (answer) response.writeHead(status).end(JSON.stringify(answer));
    else interruption.abort();
  }).listen(0, '127.0.0.1');
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
  const { exitCode } = process;
  onTestFinished(() => {
    vi.restoreAllMocks();
    process.exitCode = exitCode;
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const options = { service: 'stt', server: url, token: 'any' } as const;
  return { options, requests, printed, unanswered: interruption.signal };
}

it.each([
  ['stt', 'transcribe', 'texts.csv'],
  ['passports', 'extract', 'passports.csv'],
] as const)('batches submit of %s names the command for a folder', async (service, command, output) => {
  const path = await mkdtemp(join(tmpdir(), 'assay-batch-'));
  onTestFinished(() => rm(path, { recursive: true }));
  const server = { service, server: 'http://127.0.0.1:1', token: 'any' };
  await expect(submitBatchCommand(path, server, new AbortController().signal)).rejects.toThrow(
    `${path} is a folder: use \`node scripts/assay.mjs ${command} ${path} --output ${output}\`, or submit a ZIP archive of it.`,
  );
});

it('batches submit quotes a folder with special characters in the command that it names', async () => {
  const path = await mkdtemp(join(tmpdir(), "assay batch's $x-"));
  onTestFinished(() => rm(path, { recursive: true }));
  const server = { service: 'stt', server: 'http://127.0.0.1:1', token: 'any' } as const;
  await expect(submitBatchCommand(path, server, new AbortController().signal)).rejects.toThrow(
    `transcribe '${path.replace("'", String.raw`'\''`)}' --output texts.csv`,
  );
});

it('batches submit lists the first ten of several invalid items, and the number of the others', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'assay-batch-')), 'list.jsonl');
  onTestFinished(() => rm(dirname(path), { recursive: true }));
  await writeFile(path, '{}\n');
  const items = Array.from({ length: 20 }, (_, at) => ({ line: at + 1, message: '`url` is required.' }));
  const error = { code: 'VALIDATION_ERROR', message: 'Line 1.', details: { invalid: 30, total: 30, items } };
  const { options, printed } = await startServer(422, { ok: false, error });
  await expect(submitBatchCommand(path, options, new AbortController().signal)).rejects.toThrow('Line 1.');
  const lines = items.slice(0, 10).map(({ line, message }) => `  line ${line}: ${message}`);
  expect(printed).toEqual(['Invalid items: 30 of 30', ...lines, '  … and 20 more']);
});

it('batches submit names the batch after its file', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'assay-batch-')), 'night calls.zip');
  onTestFinished(() => rm(dirname(path), { recursive: true }));
  await writeFile(path, 'PK');
  const { options, requests } = await startServer(202, { ok: true, data: { batch_id: 'b-1' } });
  await submitBatchCommand(path, options, new AbortController().signal);
  expect(requests).toEqual(['POST /batches?name=night+calls.zip']);
});

it('batches submit --json prints the invalid items of a refused file', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'assay-batch-')), 'list.jsonl');
  onTestFinished(() => rm(dirname(path), { recursive: true }));
  await writeFile(path, '{}\n');
  const details = { invalid: 1, total: 1, items: [{ line: 1, message: '`url` is required.' }] };
  const error = { code: 'VALIDATION_ERROR', message: 'Line 1.', details };
  const { options, printed } = await startServer(422, { ok: false, error });
  const submitted = submitBatchCommand(path, { ...options, json: true }, new AbortController().signal);
  await expect(submitted).rejects.toThrow('Line 1.');
  expect(process.stdout.write).toHaveBeenCalledExactlyOnceWith(`${JSON.stringify(details, null, 2)}\n`);
  expect(printed).toEqual([]);
});

it('batches submit --skip-invalid lists all items of the response that were left out', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'assay-batch-')), 'list.jsonl');
  onTestFinished(() => rm(dirname(path), { recursive: true }));
  await writeFile(path, '{}\n');
  const items = Array.from({ length: 20 }, (_, at) => ({ line: at + 1, message: '`url` is required.' }));
  const data = { batch_id: 'b-1', left_out: { count: 21, items } };
  const { options, printed } = await startServer(202, { ok: true, data });
  await submitBatchCommand(path, { ...options, skipInvalid: true }, new AbortController().signal);
  const lines = items.map(({ line, message }) => `  line ${line}: ${message}`);
  expect(printed).toEqual(['Left out: 21', ...lines, '  … and 1 more']);
});

it('batches cancel says why it cancelled nothing', async () => {
  const { options, printed } = await startServer(200, { ok: true, data: { batch_id: 'b-1', cancelled: 0 } });
  await changeBatchCommand('cancel', 'b-1', options, new AbortController().signal);
  expect(process.stdout.write).toHaveBeenCalledWith('cancelled: 0\n');
  expect(printed).toEqual(['All tasks of the batch had already ended.']);
});

it.each([
  [{ failed: 0, cancelled: 0 }, 'No item has failed.'],
  [{ failed: 0, cancelled: 1 }, 'No item has failed, and cancelled items are not retried.'],
  [
    { failed: 2, cancelled: 0 },
    expect.stringMatching(/^None of the 2 failed items can be retried: the errors are permanent/),
  ],
])('batches retry says why it retried nothing of %j', async (counts, reason) => {
  const { options, printed } = await startServer(200, { ok: true, data: { batch_id: 'b-1', retried: 0, counts } });
  await changeBatchCommand('retry', 'b-1', options, new AbortController().signal);
  expect(process.stdout.write).toHaveBeenCalledWith('retried: 0\n');
  expect(printed).toEqual([reason]);
});

it('lists say on standard error that they are empty', async () => {
  const empty = { batches: [], items: [], events: [], more: false, next: undefined };
  const { options, printed } = await startServer(200, { ok: true, data: empty });
  const { signal } = new AbortController();
  await listBatchesCommand({ ...options, json: true }, signal);
  await listItemsCommand('b-1', { ...options, status: 'failed' }, signal);
  await eventsCommand(options, signal);
  expect(process.stdout.write).not.toHaveBeenCalled();
  expect(printed).toEqual([
    'No batches of stt; --service selects another service.',
    'The batch has no failed items.',
    'No events of stt; --service selects another service.',
  ]);
});

it('batches status names the options of the other services for an unknown batch', async () => {
  const error = { code: 'BATCH_NOT_FOUND', message: 'No such batch.' };
  const { options } = await startServer(404, { ok: false, error });
  await expect(batchStatusCommand('b-1', options, new AbortController().signal)).rejects.toThrow(
    'No such batch. If it is a batch of another service: --service defectoscopy or --service passports. (BATCH_NOT_FOUND)',
  );
});

const UNACCEPTED = (noun: string) => `Interrupted before the server confirmed a ${noun}.`;

it('batches submit --wait, interrupted, names the batch if it was accepted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-batch-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'list.jsonl');
  await writeFile(path, '{}\n');
  const unaccepted = await startServer(200);
  await submitBatchCommand(path, { ...unaccepted.options, wait: true }, unaccepted.unanswered);
  expect(unaccepted.printed).toEqual([UNACCEPTED('batch')]);
  const accepted = await startServer(200, (url) =>
    url === '/batches' ? { ok: true, data: { batch_id: 'b-1' } } : undefined,
  );
  await submitBatchCommand(path, { ...accepted.options, wait: true }, accepted.unanswered);
  const command = `node scripts/assay.mjs batches status b-1 --service stt --server ${accepted.options.server}`;
  expect(accepted.printed).toEqual([
    'Waiting for the batch b-1.',
    `Interrupted; the batch b-1 continues on the server. To see the state: \`${command}\`.`,
  ]);
});

it('transcribe, interrupted, names the task if it was accepted', async () => {
  const source = 'https://storage.example.com/a.mp3';
  const unaccepted = await startServer(200);
  await transcribeCommand(source, { ...unaccepted.options, wait: true }, unaccepted.unanswered);
  expect(unaccepted.printed).toEqual([UNACCEPTED('task')]);
  const accepted = await startServer(200, (url) =>
    url.startsWith('/result/') ? undefined : { ok: true, data: { task_id: 't-1', estimated_wait_seconds: 1 } },
  );
  await transcribeCommand(source, { ...accepted.options, wait: true }, accepted.unanswered);
  const command = `node scripts/assay.mjs result t-1 --service stt --server ${accepted.options.server}`;
  expect(accepted.printed).toEqual([
    `Interrupted; the task t-1 continues on the server. To see the state: \`${command}\`.`,
  ]);
});

it('batches, interrupted, mentions no task, because it creates none', async () => {
  const { options, printed, unanswered } = await startServer(200);
  await listBatchesCommand(options, unanswered);
  expect(printed).toEqual(['Interrupted.']);
});

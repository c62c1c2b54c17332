import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  batchResultsCommand,
  batchStatusCommand,
  changeBatchCommand,
  listBatchesCommand,
  submitBatchCommand,
} from './batches.ts';

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
  ['utf16.csv', Buffer.from('\ufeffphoto\na.jpg\n', 'utf16le')],
  ['control.jsonl', Buffer.from(`{"photo": "\x01"}\n${'{"photo": "a.jpg"}\n'.repeat(20)}`)],
])('batches submit leaves %s, a text with errors, to the service', async (name, bytes) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-batch-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), bytes);
  const server = { service: 'stt', server: 'http://127.0.0.1:1', token: 'any' } as const;
  // No server answers, so the command ends with the signal.
  const signal = AbortSignal.timeout(300);
  await expect(submitBatchCommand(join(folder, name), server, signal)).resolves.toBeUndefined();
});

/** A server with one response for every request; none without a body. */
async function startServer(status: number, body?: object) {
  const server = createServer((_, response) => {
    if (body) response.writeHead(status).end(JSON.stringify(body));
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
  return { options: { service: 'stt', server: url, token: 'any' } as const, printed };
}

it('batches cancel says why it cancelled nothing', async () => {
  const { options, printed } = await startServer(200, { ok: true, data: { batch_id: 'b-1', cancelled: 0 } });
  await changeBatchCommand('cancel', 'b-1', options, new AbortController().signal);
  expect(process.stdout.write).toHaveBeenCalledWith('cancelled: 0\n');
  expect(printed).toEqual(['All tasks of the batch had already ended.']);
});

it('batches status names the options of the other services for an unknown batch', async () => {
  const error = { code: 'BATCH_NOT_FOUND', message: 'No such batch.' };
  const { options } = await startServer(404, { ok: false, error });
  await expect(batchStatusCommand('b-1', options, new AbortController().signal)).rejects.toThrow(
    'No such batch. If it is a batch of another service: --service defectoscopy or --service passports. (BATCH_NOT_FOUND)',
  );
});

it('batches, interrupted, mentions no task, because it creates none', async () => {
  const { options, printed } = await startServer(200);
  await listBatchesCommand(options, AbortSignal.timeout(100));
  expect(printed).toEqual(['Interrupted.']);
});

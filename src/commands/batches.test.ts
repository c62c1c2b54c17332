import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { batchResultsCommand, submitBatchCommand } from './batches.ts';

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

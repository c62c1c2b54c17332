import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { OperatorError } from '../base/operator-error.ts';
import { cancelCommand, deleteCommand, resultCommand } from './task.ts';

const { signal } = new AbortController();
const { exitCode } = process;
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = exitCode;
});

/** A server with one response; its requests, and what a command prints. */
async function startServer(status: number, body: object) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(status).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const printed: string[] = [];
  const print = (text: string) => printed.push(text.trimEnd()) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(print as typeof process.stdout.write);
  vi.spyOn(console, 'error').mockImplementation(print);
  const options = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'any' };
  return { options, requests, printed };
}

it.each([
  [{ status: 'queued' }, 'queued', exitCode],
  [
    { status: 'done', result: { surface: 'wall', masters: [], defects: [] } },
    'surface    wall\ndefects    none detected',
    exitCode,
  ],
  [
    { status: 'failed', error: 'Cancelled.', error_code: 'CANCELLED' },
    'The task t-1 has failed: Cancelled. (CANCELLED)',
    1,
  ],
])('result prints a task in the state %j', async (data, text, code) => {
  const { options, requests, printed } = await startServer(200, { ok: true, data });
  await resultCommand('t-1', { ...options, service: 'defectoscopy' }, signal);
  expect({ requests, printed, code: process.exitCode }).toEqual({
    requests: ['GET /result/t-1'],
    printed: [text],
    code,
  });
});

it.each([{}, { json: true }])('result --output writes no file for an unfinished task with %j', async (flags) => {
  const { options, printed } = await startServer(200, { ok: true, data: { status: 'queued' } });
  const output = join(await mkdtemp(join(tmpdir(), 'assay-result-')), 'result.txt');
  onTestFinished(() => rm(dirname(output), { recursive: true }));
  await expect(resultCommand('t-1', { ...options, ...flags, service: 'stt', output }, signal)).rejects.toThrow(
    new OperatorError('The task t-1 has no result yet: queued.'),
  );
  expect([printed, existsSync(output)]).toEqual([[], false]);
});

it('result prints a transcript in a format, and writes a document as the server exports it', async () => {
  const recording = { status: 'done', task_id: 't-1', result: { transcription: 'any', segments: [] } };
  const stt = await startServer(200, { ok: true, data: recording });
  await resultCommand('t-1', { ...stt.options, service: 'stt', format: 'json' }, signal);
  await resultCommand('t-1', { ...stt.options, service: 'stt', format: 'srt' }, signal);
  expect(stt.requests.slice(1)).toEqual(['GET /result/t-1', 'GET /result/t-1/transcript?format=srt&edition=corrected']);
  expect(JSON.parse(stt.printed[0]!)).toEqual(recording.result);

  const passports = await startServer(200, { status: 'SUCCESS', id: 'd-1', filename: 'a.pdf', fields: {} });
  const output = join(await mkdtemp(join(tmpdir(), 'assay-result-')), 'a.xlsx');
  onTestFinished(() => rm(dirname(output), { recursive: true }));
  vi.spyOn(console, 'log').mockImplementation(() => {});
  const options = { ...passports.options, service: 'passports', format: 'xlsx', language: 'ru', output } as const;
  await resultCommand('d-1', options, signal);
  expect(passports.requests).toEqual(['GET /api/task/d-1/result', 'GET /export/d-1/excel']);
  expect(existsSync(output)).toBe(true);
});

it.each([
  [{ service: 'defectoscopy', format: 'srt' }, '--format srt cannot be used with --service defectoscopy.'],
  [
    { service: 'passports', format: 'srt' },
    '--format srt cannot be used with --service passports, which has text, json, xlsx, pdf.',
  ],
  [{ service: 'stt', language: 'ru' }, '--language cannot be used with --service stt.'],
  [{ service: 'stt', format: 'srt' }, 'The task t-1 has no result yet: queued.'],
] as const)('result with %j throws', async (flags, message) => {
  const { options } = await startServer(200, { ok: true, data: { status: 'queued' } });
  await expect(resultCommand('t-1', { ...options, ...flags }, signal)).rejects.toThrow(new OperatorError(message));
});

it('cancel cancels a task, and names the commands for the tasks of other services', async () => {
  const { options, requests, printed } = await startServer(200, { ok: true, data: { status: 'failed' } });
  await cancelCommand('t-1', { ...options, service: 'stt' }, signal);
  expect([requests, printed]).toEqual([['POST /result/t-1/cancel'], ['cancelled: t-1']]);
  const unknown = await startServer(404, { ok: false, error: { code: 'TASK_NOT_FOUND', message: 'None.' } });
  const hint = 'A document of passports is deleted instead: `node scripts/assay.mjs delete t-1`.';
  await expect(cancelCommand('t-1', { ...unknown.options, service: 'stt' }, signal)).rejects.toThrow(
    `has no task t-1 (TASK_NOT_FOUND). If it is a task of another service: --service defectoscopy. ${hint}`,
  );
  await expect(cancelCommand('t-1', { ...unknown.options, service: 'passports' }, signal)).rejects.toThrow(hint);
  expect(unknown.requests).toEqual(['POST /result/t-1/cancel']);
});

it('delete deletes a document', async () => {
  const { options, requests, printed } = await startServer(200, {});
  await deleteCommand('d-1', options, signal);
  await deleteCommand('d-1', { ...options, json: true }, signal);
  expect([requests[0], printed[0]]).toEqual(['DELETE /task/d-1', 'deleted: d-1']);
  expect(JSON.parse(printed[1]!)).toEqual({ id: 'd-1', status: 'deleted' });
});

it('delete reports an id of another form as an unknown one', async () => {
  const detail = [{ type: 'uuid_parsing', loc: ['path', 'task_id'], msg: 'Input should be a valid UUID' }];
  const { options } = await startServer(422, { detail });
  await expect(deleteCommand('01KDAAAA', options, signal)).rejects.toThrow(
    '(passports) has no task 01KDAAAA (TASK_NOT_FOUND). Only documents of passports are deleted; `node scripts/assay.mjs cancel` is for photos and recordings.',
  );
});

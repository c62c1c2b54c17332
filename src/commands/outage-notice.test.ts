import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { NetworkProblem } from '../client/index.ts';
import { createOutageNotice } from './outage-notice.ts';
import { transcribeCommand } from './task-commands.ts';

it('says once that requests fail, and that they succeed again when no wait fails any more', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const notice = createOutageNotice();
  const error = new NetworkProblem({ code: 'NETWORK_PROBLEM', message: 'http://any cannot be reached.' });
  for (const one of [undefined, error, error, undefined, error, undefined, undefined, undefined]) notice(one);
  const failed = ['Request failed, retrying: http://any cannot be reached.'];
  expect(print.mock.calls).toEqual([failed, ['Requests succeed again.']]);
  // Given up, so the next outage is another one.
  notice(error);
  notice(error, true);
  notice(error);
  expect(print.mock.calls.slice(2)).toEqual([failed, failed]);
});

it('transcribe creates its task when a server that restarts is back', async () => {
  const printed: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const answer = JSON.stringify({ ok: true, data: { task_id: 't-1' } });
  const server = createServer((request, response) => void request.resume().on('end', () => response.end(answer)));
  const listen = (port: number) => once(server.listen(port, '127.0.0.1'), 'listening');
  await listen(0);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  onTestFinished(() => {
    vi.restoreAllMocks();
    server.close();
  });
  const url = `http://127.0.0.1:${port}`;
  const options = { server: url, token: 'any', wait: false };
  const creating = transcribeCommand('https://storage.example.com/a.mp3', options, new AbortController().signal);
  await expect.poll(() => printed).toHaveLength(1);
  await listen(port);
  await creating;
  expect(printed).toEqual([
    `Request failed, retrying: ${url} cannot be reached (ECONNREFUSED). Start Assay with \`node scripts/assay.mjs start\` in its folder.`,
    'Requests succeed again.',
    't-1\n',
  ]);
});

it('transcribe reports an outage while it waits', async () => {
  const printed: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  let reads = 0;
  const server = createServer((request, response) => {
    request.resume();
    const isRead = request.url!.startsWith('/result/');
    if (isRead && ++reads === 1) return void response.destroy();
    const result = { transcription: 'any', segments: [] };
    response.end(JSON.stringify({ ok: true, data: { task_id: 't-1', status: 'done', ...(isRead && { result }) } }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    vi.restoreAllMocks();
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { server: url, token: 'any', wait: true };
  await transcribeCommand('https://storage.example.com/a.mp3', options, new AbortController().signal);
  expect(printed).toEqual([expect.stringMatching(`^Request failed, retrying: ${url}`), 'Requests succeed again.']);
});

import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listBatchesCommand } from './batches.ts';
import { eventsCommand } from './events.ts';
import { predictFolder } from './folder/folder-commands.ts';
import { transcribeCommand } from './task-commands.ts';

const batch = { batch_id: 'b-1', status: 'completed', total: 1, counts: { done: 1 }, errors: [] };
const result = { surface: 'wall', masters: [], defects: [] };
const RESPONSES: Readonly<Record<string, object>> = {
  '/batches': { batches: [batch] },
  '/events?limit=500&wait=0': { events: [{ id: '1', type: 'any', created_at: '1', task_id: 't-1' }], more: false },
  '/events': { events: [], next: '1', more: false },
  '/files': { url: 'https://files.example.com/1' },
  '/predict': { task_id: 't-1', estimated_wait_seconds: 1 },
  '/transcribe/audio_url': { task_id: 't-1', estimated_wait_seconds: 1 },
  '/result/t-1': { task_id: 't-1', status: 'done', result },
};

/** A server that rejects the first request of each of the `limited` paths. */
async function startServer(limited: Iterable<string> = []) {
  const left = new Set(limited);
  const server = createServer((request, response) => {
    request.resume();
    const { pathname, search } = new URL(request.url!, 'http://server');
    const isLimited = left.delete(pathname);
    const body = isLimited
      ? { ok: false, error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Not now.' } }
      : { ok: true, data: RESPONSES[pathname + search] ?? RESPONSES[pathname] };
    response.writeHead(isLimited ? 429 : 200, { 'retry-after': '1' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    left,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

let printed: string[];
let folder: string;
let server: Awaited<ReturnType<typeof startServer>>;
let isTTY: boolean;
beforeEach(async () => {
  printed = [];
  ({ isTTY } = process.stderr);
  process.stderr.isTTY = false;
  folder = await mkdtemp(join(tmpdir(), 'assay-limit-'));
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(console, 'log').mockImplementation(() => {});
  vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
});
afterEach(async () => {
  vi.restoreAllMocks();
  process.stderr.isTTY = isTTY;
  server.stop();
  await rm(folder, { recursive: true });
});
const { signal } = new AbortController();
const at = (url: string) => ({ service: 'defectoscopy', server: url, token: 't', wait: true }) as const;

describe('A command waits while the rate limit rejects requests, and says so', () => {
  it.each([
    ['batches', ['/batches'], (url: string) => listBatchesCommand(at(url), signal)],
    ['events', ['/events'], (url: string) => eventsCommand(at(url), signal)],
    [
      'transcribe FILE',
      ['/transcribe/audio_url', '/result/t-1'],
      (url: string) => transcribeCommand('https://storage.example.com/a.mp3', { ...at(url), format: 'json' }, signal),
    ],
  ])('assay %s', async (_, limited, run) => {
    server = await startServer(limited);
    await run(server.url);
    expect(server.left).toEqual(new Set());
    expect(printed).toEqual(['Limit of requests or waiting tasks reached, continuing in 1 s.']);
  });

  it('assay events --follow', async () => {
    server = await startServer(['/events']);
    const stop = new AbortController();
    const following = eventsCommand({ ...at(server.url), follow: true }, stop.signal);
    await vi.waitFor(() => expect(server.left).toEqual(new Set()));
    await vi.waitFor(() => expect(printed).toHaveLength(1));
    stop.abort();
    await following;
    expect(printed).toEqual(['Limit of requests or waiting tasks reached, continuing in 1 s.']);
  });

  it('assay predict FOLDER', async () => {
    server = await startServer(['/files', '/predict', '/result/t-1']);
    await mkdir(join(folder, 'photos'));
    await writeFile(join(folder, 'photos', 'a.jpg'), 'photo');
    const output = join(folder, 'photos.jsonl');
    await predictFolder(join(folder, 'photos'), { ...at(server.url), output }, signal);
    expect(JSON.parse(await readFile(output, 'utf8'))).toMatchObject({ task_id: 't-1', result });
    expect(server.left).toEqual(new Set());
    expect(printed).toEqual(['Limit of requests or waiting tasks reached, continuing in 1 s.']);
  });
});

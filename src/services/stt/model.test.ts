import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readHoles } from '../../base/addresses.ts';
import { type Files, openFiles } from '../../base/files.ts';
import { createGuardedFetch } from '../../base/guarded-fetch.ts';
import { createLog } from '../../base/log.ts';
import { createAuthority } from '../../base/testing/certificate.ts';
import type { Recognizer } from '../../ml/speech/recognizer.ts';
import { TaskFailure } from '../../tasks/task.ts';
import type { Job, Model, SharedSettings } from '../service.ts';
import { loadModel } from './model.ts';
import type { Checkpoint, Recorded } from './result.ts';
import { readOwn } from './settings.ts';

const log = createLog('silent', 'test');
const { ca, issue } = createAuthority();
const FILES_HOST = 'files.assay.internal';
const NOTE = new URL('../../../examples/voice-note.mp3', import.meta.url);
const INSPECTION = new URL('../../../test/speech/inspection.ogg', import.meta.url);

let folder: string;
let files: Files;
let host: { origin: string; answer: RequestListener };
let model: Model;
/** Windows that were heard, each by its first second. */
let heard: number[];

/** Hears everything, and says which second it began at; short windows, so that a minute has many. */
const recognizer: Recognizer = {
  name: 'local',
  model: 'none',
  windowSeconds: 10,
  async recognize({ start, end }) {
    heard.push(start);
    return [{ start, end, text: `from ${start.toFixed(1)}`, language: 'en' }];
  },
  close: async () => {},
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-stt-'));
  files = openFiles({ dir: join(folder, 'files') });
  const server = createServer(issue('media.test'), (request, response) => host.answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  host = { origin: `https://media.test:${port}`, answer: () => {} };
  const fetch = createGuardedFetch({
    ca,
    resolve: async (name) => (name === 'private.test' ? ['10.0.0.1'] : ['127.0.0.1']),
    connectMs: 2000,
  });
  const own = readOwn({ STT_ALLOWED_URL_HOSTS: `media.test:${port},private.test` });
  const holes = readHoles({ hosts: ['media.test'] });
  const shared = { dataDir: folder, filesHost: FILES_HOST, holes } as Partial<SharedSettings> as SharedSettings;
  const scratchDir = join(folder, 'scratch');
  await mkdir(scratchDir);
  model = await loadModel({ house: { fetch, files, scratchDir }, own, shared, recognizers: [recognizer] });
  return async () => {
    await model.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  };
});
beforeEach(() => {
  heard = [];
});

interface Report {
  readonly progress: number | undefined;
  readonly checkpoint: Checkpoint;
}

function run(url: string, over: Partial<Job> = {}) {
  const reports: Report[] = [];
  const outcome = model.run({
    id: 'task',
    attempt: 1,
    worker: 'w',
    input: { url },
    log,
    signal: new AbortController().signal,
    report: (progress, checkpoint) => void reports.push({ progress, checkpoint: checkpoint as never }),
    ...over,
  } as Job);
  return { reports, recorded: outcome.then(({ result }) => result as unknown as Recorded) };
}
const uploaded = async (bytes: Buffer) =>
  `https://${FILES_HOST}/${(await files.put(bytes, { maxBytes: 2 ** 30 })).key}`;
const failure = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => 'nothing failed',
    (reason: unknown) => reason,
  );
  if (!(error instanceof TaskFailure)) throw error;
  return { code: error.code, transient: error.transient };
};
const inScratch = () => readdir(join(folder, 'scratch'));

describe('a recording', () => {
  it('is heard window by window, with its progress, and leaves nothing behind', async () => {
    const { recorded, reports } = run(await uploaded(await readFile(INSPECTION)));
    const result = await recorded;
    expect(result).toMatchObject({ service: 'local', language: 'en' });
    expect(result.duration_seconds).toBeCloseTo(61.9, 0);
    expect(heard.length).toBeGreaterThan(5);
    expect(result.segments).toHaveLength(heard.length);
    expect(result.transcription).toBe(heard.map((start) => `from ${start.toFixed(1)}`).join(' '));
    const shares = reports.map(({ progress }) => progress!);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBeGreaterThan(0.9);
    expect(await inScratch()).toEqual([]);
  });

  it('that another worker has begun is gone on with, and comes out the same', async () => {
    const url = await uploaded(await readFile(INSPECTION));
    const whole = run(url);
    const result = await whole.recorded;
    const windows = heard;
    for (const at of [0, 2, whole.reports.length - 2]) {
      heard = [];
      const { checkpoint } = whole.reports[at]!;
      // As the database keeps it.
      const kept = JSON.parse(JSON.stringify(checkpoint));
      expect(await run(url, { checkpoint: kept }).recorded).toEqual(result);
      expect(heard).toEqual(windows.filter((start) => start >= checkpoint.until));
    }
  });

  it('is downloaded from where its address leads', async () => {
    const note = await readFile(NOTE);
    host.answer = (_, response) => response.end(note);
    const { recorded } = run(`${host.origin}/notes/17`);
    expect((await recorded).segments.length).toBeGreaterThan(0);
  });

  it('that is given up is left at once, and its file with it', async () => {
    const stop = new AbortController();
    const report = () => stop.abort(new Error('cancelled'));
    const { recorded } = run(await uploaded(await readFile(INSPECTION)), { signal: stop.signal, report });
    await expect(recorded).rejects.toThrow('cancelled');
    expect(heard).toHaveLength(1);
    expect(await inScratch()).toEqual([]);
  });
});

describe('what is no recording', () => {
  it.each<[string, string, (note: Buffer) => Buffer]>([
    ['a text', 'AUDIO_UNSUPPORTED', () => Buffer.from('Dear all, this is no recording. '.repeat(99))],
    ['an HTML page', 'AUDIO_UNSUPPORTED', () => Buffer.from('<!doctype html><title>Sign in</title>')],
    [
      'a picture',
      'AUDIO_UNSUPPORTED',
      () => Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), Buffer.alloc(99)]),
    ],
    ['nothing at all', 'AUDIO_CORRUPT', () => Buffer.alloc(0)],
    ['the first half of a recording', 'AUDIO_CORRUPT', (ogg) => ogg.subarray(0, ogg.length / 2)],
  ])('%s fails as %s', async (_, code, make) => {
    const note = await readFile(NOTE);
    expect(await failure(run(await uploaded(make(note))).recorded)).toEqual({ code, transient: false });
    expect(heard).toEqual([]);
  });

  it.each<[string, string, boolean, RequestListener]>([
    ['a 404', 'AUDIO_NOT_FOUND', false, (_, response) => response.writeHead(404).end()],
    ['a 503', 'AUDIO_FETCH_FAILED', true, (_, response) => response.writeHead(503).end()],
    ['a 403', 'AUDIO_FETCH_FAILED', false, (_, response) => response.writeHead(403).end()],
    ['a connection that breaks', 'AUDIO_FETCH_FAILED', true, (_, response) => response.destroy()],
    [
      'a redirect to a private address',
      'AUDIO_BLOCKED',
      false,
      (_, response) => response.writeHead(302, { location: 'https://private.test/note.mp3' }).end(),
    ],
    [
      'more than a gigabyte',
      'AUDIO_TOO_LARGE',
      false,
      (_, response) => response.writeHead(200, { 'content-length': String(2 ** 30 + 1) }).end(),
    ],
  ])('%s from its host fails as %s', async (_, code, transient, answer) => {
    host.answer = answer;
    expect(await failure(run(`${host.origin}/note.mp3`).recorded)).toEqual({ code, transient });
    expect(await inScratch()).toEqual([]);
  });

  it('an upload that has gone fails as AUDIO_NOT_FOUND', async () => {
    const gone = `https://${FILES_HOST}/01KAF3M9WZ7Y5T2Q8C4N6B1D0E`;
    expect(await failure(run(gone).recorded)).toEqual({ code: 'AUDIO_NOT_FOUND', transient: false });
  });
});

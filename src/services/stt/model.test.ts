import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../../test/support/certificate.ts';
import { parseAllowList } from '../../base/addresses.ts';
import { createFolderFiles, type Files } from '../../base/files.ts';
import { createGuardedFetch } from '../../base/guarded-fetch.ts';
import { createLog } from '../../base/log.ts';
import type { Recognizer } from '../../ml/speech/recognizer.ts';
import { TaskFailure } from '../../tasks/task.ts';
import type { Job, Model, SharedSettings } from '../shared/service.ts';
import type { Checkpoint } from './model/transcribe.ts';
import { loadModel } from './model.ts';
import type { Recorded } from './result.ts';
import { loadSettings } from './settings.ts';

const log = createLog('silent', 'test');
const { ca, issue } = createAuthority();
const FILES_HOST = 'files.assay.internal';
const NOTE = new URL('../../../examples/voice-note.mp3', import.meta.url);
const INSPECTION = new URL('../../../test/stt/inspection.ogg', import.meta.url);

let folder: string;
let files: Files;
let host: { origin: string; answer: RequestListener };
let model: Model;
/** The start times of the recognized windows. */
let recognizedStarts: number[];

/** Returns the start time of each window as text. Windows are short, so that a minute has several. */
const recognizer: Recognizer = {
  name: 'local',
  model: 'none',
  windowSeconds: 10,
  async recognize({ start, end }) {
    recognizedStarts.push(start);
    return [{ start, end, text: `from ${start.toFixed(1)}`, language: 'en' }];
  },
  close: async () => {},
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-stt-'));
  files = createFolderFiles({ dir: join(folder, 'files') });
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
  const serviceSettings = loadSettings({ STT_ALLOWED_URL_HOSTS: `media.test:${port},private.test` });
  const allowList = parseAllowList({ hosts: ['media.test'] });
  const shared = { dataDir: folder, filesHost: FILES_HOST, allowList } as Partial<SharedSettings> as SharedSettings;
  const scratchDir = join(folder, 'scratch');
  await mkdir(scratchDir);
  model = await loadModel({
    context: { fetch, files, scratchDir },
    serviceSettings,
    shared,
    recognizers: [recognizer],
  });
  return async () => {
    await model.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  };
});
beforeEach(() => {
  recognizedStarts = [];
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
const failureOf = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => 'nothing failed',
    (reason: unknown) => reason,
  );
  if (!(error instanceof TaskFailure)) throw error;
  return { code: error.code, transient: error.transient };
};
const scratchFiles = () => readdir(join(folder, 'scratch'));

describe('speech-to-text model', () => {
  it('transcribes window by window, reports progress and deletes its files', async () => {
    const { recorded, reports } = run(await uploaded(await readFile(INSPECTION)));
    const result = await recorded;
    expect(result).toMatchObject({ service: 'local', language: 'en' });
    expect(result.duration_seconds).toBeCloseTo(61.9, 0);
    expect(recognizedStarts.length).toBeGreaterThan(5);
    expect(result.segments).toHaveLength(recognizedStarts.length);
    expect(result.transcription).toBe(recognizedStarts.map((start) => `from ${start.toFixed(1)}`).join(' '));
    const shares = reports.map(({ progress }) => progress!);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBeGreaterThan(0.9);
    expect(await scratchFiles()).toEqual([]);
  });

  it('continues from a checkpoint with the same result', async () => {
    const url = await uploaded(await readFile(INSPECTION));
    const complete = run(url);
    const result = await complete.recorded;
    const windows = recognizedStarts;
    for (const at of [0, 2, complete.reports.length - 2]) {
      recognizedStarts = [];
      const { checkpoint } = complete.reports[at]!;
      // As stored in the database.
      const stored = JSON.parse(JSON.stringify(checkpoint));
      expect(await run(url, { checkpoint: stored }).recorded).toEqual(result);
      expect(recognizedStarts).toEqual(windows.filter((start) => start >= checkpoint.until));
    }
  });

  it('returns the decoded duration if the file declares a wrong one', async () => {
    const note = await readFile(NOTE);
    // Without the number of frames, the duration is estimated from the file size.
    for (const name of ['Xing', 'Info'])
      if (note.includes(name)) note.fill(0, note.indexOf(name), note.indexOf(name) + 8);
    const { recorded } = run(await uploaded(Buffer.concat([note, Buffer.alloc(note.length)])));
    expect((await recorded).duration_seconds).toBeCloseTo(10.3, 0);
  });

  it('downloads a recording from its URL', async () => {
    const note = await readFile(NOTE);
    host.answer = (_, response) => response.end(note);
    const { recorded } = run(`${host.origin}/notes/17`);
    expect((await recorded).segments.length).toBeGreaterThan(0);
  });

  it('stops after cancellation and deletes its files', async () => {
    const stop = new AbortController();
    const report = () => stop.abort(new Error('cancelled'));
    const { recorded } = run(await uploaded(await readFile(INSPECTION)), { signal: stop.signal, report });
    await expect(recorded).rejects.toThrow('cancelled');
    expect(recognizedStarts).toHaveLength(1);
    expect(await scratchFiles()).toEqual([]);
  });
});

describe('an invalid recording', () => {
  it.each<[string, string, (note: Buffer) => Buffer]>([
    ['a text', 'AUDIO_UNSUPPORTED', () => Buffer.from('Dear all, this is not a recording. '.repeat(99))],
    ['an HTML page', 'AUDIO_UNSUPPORTED', () => Buffer.from('<!doctype html><title>Sign in</title>')],
    [
      'a picture',
      'AUDIO_UNSUPPORTED',
      () => Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), Buffer.alloc(99)]),
    ],
    ['an empty file', 'AUDIO_CORRUPT', () => Buffer.alloc(0)],
    ['the first half of a recording', 'AUDIO_CORRUPT', (ogg) => ogg.subarray(0, ogg.length / 2)],
  ])('(%s) fails with %s', async (_, code, make) => {
    const note = await readFile(NOTE);
    expect(await failureOf(run(await uploaded(make(note))).recorded)).toEqual({ code, transient: false });
    expect(recognizedStarts).toEqual([]);
  });

  it.each<[string, string, boolean, RequestListener]>([
    ['a 404', 'AUDIO_NOT_FOUND', false, (_, response) => response.writeHead(404).end()],
    ['a 503', 'AUDIO_FETCH_FAILED', true, (_, response) => response.writeHead(503).end()],
    ['a 403', 'AUDIO_FETCH_FAILED', false, (_, response) => response.writeHead(403).end()],
    ['a lost connection', 'AUDIO_FETCH_FAILED', true, (_, response) => response.destroy()],
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
  ])('with %s from its host fails with %s', async (_, code, transient, answer) => {
    host.answer = answer;
    expect(await failureOf(run(`${host.origin}/note.mp3`).recorded)).toEqual({ code, transient });
    expect(await scratchFiles()).toEqual([]);
  });

  it('fails with AUDIO_NOT_FOUND if the upload was deleted', async () => {
    const gone = `https://${FILES_HOST}/01KAF3M9WZ7Y5T2Q8C4N6B1D0E`;
    expect(await failureOf(run(gone).recorded)).toEqual({ code: 'AUDIO_NOT_FOUND', transient: false });
  });
});

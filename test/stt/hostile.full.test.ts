import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGuardedFetch, type GuardedFetch, type GuardedRequest } from '../../src/base/guarded-fetch.ts';
import type { Recognizer } from '../../src/ml/speech/recognizer.ts';
import { createModelContext } from '../../src/role-contexts.ts';
import { FAILURES } from '../../src/services/stt/failures.ts';
import { loadModel } from '../../src/services/stt/model.ts';
import { loadSettings } from '../../src/services/stt/settings.ts';
import type { Failure } from '../../src/tasks/task.ts';
import { voiceBytes } from '../support/audio/recordings.ts';
import { createAuthority } from '../support/certificate.ts';
import { type Product, startProduct } from '../support/product.ts';
import { createSilence } from '../support/speech/fake-model.ts';

// All tests share one gateway and one worker; only the recognizer is a fake.
let product: Product;
let mediaHost: { origin: string; answer: RequestListener };
/** The download limits of the service; the test replaces them with smaller ones. */
let requestedLimits: Pick<GuardedRequest<unknown>, 'maxBytes' | 'budgets'>[];
const TEST_MAX_BYTES = 1_000_000;
const TEST_BUDGETS = { headersMs: 800, idleMs: 800, totalMs: 1600 };

let windows: number;
const recognizer: Recognizer = {
  name: 'local',
  model: 'none',
  windowSeconds: 28,
  async recognize({ start, end }) {
    windows++;
    return [{ start, end, text: 'Somebody spoke.', language: 'en' }];
  },
  close: async () => {},
};

beforeAll(async () => {
  const { ca, issue } = createAuthority();
  const server = createServer(issue('media.test'), (request, response) => mediaHost.answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  mediaHost = { origin: `https://media.test:${port}`, answer: () => {} };

  const env = { STT_ALLOWED_URL_HOSTS: `media.test:${port}`, OUTBOUND_ALLOW_HOSTS: 'media.test' };
  // One attempt, because retries would fail in the same way.
  product = await startProduct({ service: 'stt', env: { ...env, WORKER_MAX_ATTEMPTS: '1' } });
  const real = createGuardedFetch({
    ca,
    resolve: async (name) => [name === 'media.test' ? '127.0.0.1' : '10.0.0.1'],
    connectMs: 2000,
  });
  const fetch = Object.assign(
    ((url, request) => {
      requestedLimits.push({ maxBytes: request.maxBytes!, budgets: request.budgets! });
      return real(url, { ...request, maxBytes: TEST_MAX_BYTES, budgets: TEST_BUDGETS });
    }) as GuardedFetch,
    { close: () => real.close() },
  );
  const context = { ...(await createModelContext(product.context)), fetch };
  await product.startWorker(
    await loadModel({
      context,
      serviceSettings: loadSettings(env),
      shared: product.context.shared,
      recognizers: [recognizer],
    }),
  );
  return async () => {
    await product.stop();
    await fetch.close();
    server.closeAllConnections();
    server.close();
  };
}, 60_000);
beforeEach(() => {
  requestedLimits = [];
  windows = 0;
});

async function transcribe(answer: RequestListener, name = 'call-17.mp3'): Promise<Record<string, any>> {
  mediaHost.answer = answer;
  const created = await product.call('/transcribe/audio_url', {
    method: 'POST',
    body: { url: `${mediaHost.origin}/customers/4711/${name}?signature=hush` },
  });
  expect(created.status, created.text).toBe(202);
  return product.waitForResult(created.body.data.task_id);
}
const sends =
  (bytes: Uint8Array, type = 'audio/mpeg'): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': type }).end(bytes);

async function expectFailed(answer: RequestListener, { code, message }: Failure): Promise<void> {
  const data = await transcribe(answer);
  // No other fields, which could reveal internals.
  expect(data).toEqual({
    task_id: expect.any(String),
    status: 'failed',
    error: message,
    error_code: code,
    failed_at: expect.stringMatching(/^\d{10}$/),
    processing_time_ms: expect.any(Number),
  });
  expect(windows).toBe(0);
}

describe('Speech to text fails for an unusable file with its reason:', () => {
  it.each<[string, Failure, () => Buffer]>([
    ['a web page', FAILURES.unsupported, () => Buffer.from('<!doctype html><title>Sign in to go on</title>')],
    ['a playlist', FAILURES.unsupported, () => Buffer.from('#EXTM3U\n#EXTINF:10,\nhttps://169.254.169.254/latest\n')],
    ['an archive', FAILURES.unsupported, () => Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(5000, 9)])],
    ['an empty file', FAILURES.corrupt, () => Buffer.alloc(0)],
    ['the header of a WAV file', FAILURES.corrupt, () => createSilence().subarray(0, 44)],
    ['the header of a FLAC file', FAILURES.corrupt, () => voiceBytes('flac').subarray(0, 42)],
    ['the header of an Ogg file', FAILURES.corrupt, () => voiceBytes('opus').subarray(0, 47)],
    ['an MP4 file truncated before its index', FAILURES.corrupt, () => firstHalf(voiceBytes('m4a'))],
    ['a truncated WAV file', FAILURES.corrupt, () => firstHalf(createSilence(10))],
    ['a truncated FLAC file', FAILURES.corrupt, () => firstHalf(voiceBytes('flac'))],
    ['a WAV file with a sample rate of 0', FAILURES.corrupt, () => withoutSampleRate(createSilence(2))],
    ['DRM-protected audio', FAILURES.protected, drmProtected],
    ['a video without audio', FAILURES.noSound, withoutAudio],
    ['a recording of five hours', FAILURES.tooLong, fiveHours],
  ])('%s', async (_, failure, bytes) => {
    await expectFailed(sends(bytes()), failure);
  });
});

describe('Speech to text fails for an unusable host with its reason:', () => {
  it.each<[string, Failure, RequestListener]>([
    ['a 404', FAILURES.notFound, (_, response) => response.writeHead(404).end('gone, see https://10.0.0.1/')],
    [
      'a redirect to a private address',
      FAILURES.blocked,
      (_, response) => response.writeHead(302, { location: 'https://intranet.example.com/call.mp3' }).end(),
    ],
    [
      'a redirect to the cloud metadata service',
      FAILURES.blocked,
      (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
    ],
    ['a redirect loop', FAILURES.fetchFailed, (request, response) => redirectToSelf(request.url!, response)],
    ['no response', FAILURES.fetchFailed, () => {}],
    ['a slow body', FAILURES.fetchFailed, sendSlowly],
    ['an endless body', FAILURES.tooLarge, sendEndlessly],
  ])('%s', async (_, failure, answer) => {
    await expectFailed(answer, failure);
    expect(requestedLimits).toEqual([{ maxBytes: 2 ** 30, budgets: { totalMs: 300_000, idleMs: 15_000 } }]);
  });
});

it('Speech to text ignores a wrong file name and content type', async () => {
  const note = await readFile(new URL('../../examples/voice-note.mp3', import.meta.url));
  const data = await transcribe(sends(note, 'text/html'), 'report.pdf');
  expect(data).toMatchObject({ status: 'done', result: { transcription: 'Somebody spoke.', service: 'local' } });
});

it('Speech to text survives corrupt recordings and transcribes the next one', async () => {
  for (const voice of ['mp3', 'm4a', 'webm', 'ogg'] as const) {
    const garbled = Buffer.from(voiceBytes(voice));
    for (let i = garbled.length >> 2; i < (garbled.length * 3) >> 2; i++) garbled[i] = (i * 2_654_435_761) >>> 24;
    const data = await transcribe(sends(garbled));
    // Some decoders resynchronize after the noise.
    if (data['status'] === 'failed') expect(data['error_code']).toMatch(/^AUDIO_(CORRUPT|UNSUPPORTED|TOO_LONG)$/);
  }
  expect(await transcribe(sends(voiceBytes('ogg')))).toMatchObject({ status: 'done', result: { language: 'en' } });
});

const firstHalf = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1);

function withoutSampleRate(wav: Buffer): Buffer {
  wav.writeUInt32LE(0, 24);
  return wav;
}

/** Marks the samples as encrypted (ISO/IEC 14496-12 §8.12). */
function drmProtected(): Buffer {
  const m4a = Buffer.from(voiceBytes('m4a'));
  m4a.write('drms', m4a.indexOf('stsd') + 16, 'latin1');
  return m4a;
}

function withoutAudio(): Buffer {
  const mp4 = Buffer.from(voiceBytes('mp4'));
  mp4.write('subt', mp4.indexOf('soun'), 'latin1');
  return mp4;
}

/** Declares five hours; RFC 9639 §8.2: the last 36 of these 64 bits count the samples. */
function fiveHours(): Buffer {
  const flac = Buffer.from(voiceBytes('flac'));
  const fields = flac.readBigUInt64BE(18);
  const rate = fields >> 44n;
  flac.writeBigUInt64BE(((fields >> 36n) << 36n) | (rate * 5n * 3600n), 18);
  return flac;
}

type Response = Parameters<RequestListener>[1];

function redirectToSelf(path: string, response: Response): void {
  response.writeHead(302, { location: path }).end();
}

function sendSlowly(...[, response]: Parameters<RequestListener>): void {
  response.writeHead(200, { 'content-type': 'audio/wav' });
  const bytes = createSilence(60);
  let sent = 0;
  const timer = setInterval(() => response.write(bytes.subarray(sent, ++sent)), 100);
  response.once('close', () => clearInterval(timer));
}

function sendEndlessly(...[, response]: Parameters<RequestListener>): void {
  response.writeHead(200, { 'content-type': 'audio/wav' });
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on('drain', more).once('close', () => response.removeListener('drain', more));
  response.write(createSilence(1));
  more();
}

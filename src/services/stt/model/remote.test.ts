import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createGuardedFetch } from '../../../base/guarded-fetch.ts';
import { type RecognitionRequest, RecognizerError, type Window } from '../../../ml/speech/recognizer.ts';
import { createRemoteRecognizer } from './remote.ts';

const KEY = 'sk-very-secret';
const WINDOW: Window = { start: 60, end: 64, samples: Float32Array.from([0, 0.5, -1, 1]) };

interface ReceivedRequest {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly form: FormData;
}

/** A provider with a scripted response, and the requests it received. */
async function provider(answer: (response: ServerResponse, count: number, form: FormData) => void) {
  const requests: ReceivedRequest[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const type = String(request.headers['content-type']);
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    requests.push({ path: request.url, authorization: request.headers.authorization, form });
    answer(response, requests.length, form);
  };
  // Ignores aborted requests.
  const server = createServer((request, response) => void serve(request, response).catch(() => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fetch = createGuardedFetch();
  onTestFinished(async () => {
    await fetch.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const recognizer = createRemoteRecognizer({ url, key: KEY, model: 'whisper-1', fetch });
  const recognize = (options: RecognitionRequest & { signal?: AbortSignal } = {}) =>
    recognizer.recognize(WINDOW, { signal: new AbortController().signal, ...options });
  return { requests, recognize, url };
}

const respondWith = (value: unknown) => (response: ServerResponse) => response.end(JSON.stringify(value));
const respondWithStatus =
  (status: number, body = '{}') =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'retry-after': '0' }).end(body);

async function failureOf(promise: Promise<unknown>): Promise<RecognizerError> {
  const error = await promise.then(
    () => expect.fail('No failure.'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RecognizerError);
  // The key must not appear in the message, cause or properties.
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
  return error as RecognizerError;
}

test('the remote recognizer sends a window as WAV with the model, the language and the key', async () => {
  const { requests, recognize } = await provider(respondWith({ text: 'Hello.' }));
  await recognize({ language: 'en' });
  const [{ path, authorization, form }] = requests as [ReceivedRequest];
  expect(path).toBe('/v1/audio/transcriptions');
  expect(authorization).toBe(`Bearer ${KEY}`);
  expect(form.get('model')).toBe('whisper-1');
  expect(form.get('language')).toBe('en');
  expect(form.get('response_format')).toBe('verbose_json');
  expect(form.getAll('timestamp_granularities[]')).toEqual(['segment', 'word']);
  const wav = Buffer.from(await (form.get('file') as File).arrayBuffer());
  expect(wav.subarray(0, 4).toString()).toBe('RIFF');
  expect(wav.readUInt32LE(24)).toBe(16_000);
  expect([0, 1, 2, 3].map((i) => wav.readInt16LE(44 + 2 * i))).toEqual([0, 16_384, -32_767, 32_767]);
});

test('the remote recognizer passes prompt and temperature on', async () => {
  const { requests, recognize } = await provider(respondWith({ text: 'Hello.' }));
  await recognize({ prompt: 'Beam, girder.', temperature: 0.4 });
  expect(requests[0]!.form.get('prompt')).toBe('Beam, girder.');
  expect(requests[0]!.form.get('temperature')).toBe('0.4');
});

test('the remote recognizer translates into English', async () => {
  const { requests, recognize } = await provider(respondWith({ text: 'Hello.' }));
  expect(await recognize({ language: 'ru', translate: true })).toMatchObject([{ text: 'Hello.', language: 'en' }]);
  const [{ path, form }] = requests as [ReceivedRequest];
  expect(path).toBe('/v1/audio/translations');
  expect([...form.keys()].sort()).toEqual(['file', 'model', 'response_format']);
});

test('the remote recognizer omits an unknown language', async () => {
  const { requests, recognize } = await provider(respondWith({ text: 'Hello.' }));
  await recognize();
  expect(requests[0]!.form.has('language')).toBe(false);
});

test('the remote recognizer shifts segment and word times by the start of the window', async () => {
  const { recognize } = await provider(
    respondWith({
      text: 'One two. Three.',
      language: 'english',
      segments: [
        { start: 0, end: 1.5, text: ' One two.' },
        { start: 2, end: 9, text: ' Three.' },
      ],
      words: [
        { word: 'One', start: 0.1, end: 0.5 },
        { word: 'two', start: 0.6, end: 1.4 },
        { word: 'Three', start: 2.1, end: 3 },
      ],
    }),
  );
  expect(await recognize()).toEqual([
    {
      start: 60,
      end: 61.5,
      text: 'One two.',
      language: 'en',
      words: [
        { text: 'One', start: 60.1, end: 60.5 },
        { text: 'two', start: 60.6, end: 61.4 },
      ],
    },
    // Times after the end of the window are clipped.
    { start: 62, end: 64, text: 'Three.', language: 'en', words: [{ text: 'Three', start: 62.1, end: 63 }] },
  ]);
});

test('a response without times becomes one segment in the requested language', async () => {
  const { recognize } = await provider(respondWith({ text: ' Привет. ', segments: null }));
  expect(await recognize({ language: 'ru' })).toEqual([{ start: 60, end: 64, text: 'Привет.', language: 'ru' }]);
});

test('a plain text response is the transcript, and an HTML page is an error', async () => {
  const { recognize } = await provider((response, count) =>
    response.end(count === 1 ? 'Hello there.\n' : '<html>Gateway</html>'),
  );
  expect(await recognize()).toEqual([{ start: 60, end: 64, text: 'Hello there.' }]);
  expect(await failureOf(recognize())).toMatchObject({ why: 'failed', transient: false });
});

test('an empty transcript has no segments', async () => {
  const { recognize } = await provider(respondWith({ text: '' }));
  expect(await recognize()).toEqual([]);
});

test('the remote recognizer falls back to json and remembers it when verbose_json is rejected', async () => {
  const { requests, recognize } = await provider((response, _times, form) =>
    form.get('response_format') === 'json'
      ? respondWith({ text: 'Hello.' })(response)
      : respondWithStatus(400)(response),
  );
  expect(await recognize()).toMatchObject([{ text: 'Hello.' }]);
  await recognize();
  expect(requests.map(({ form }) => form.get('response_format'))).toEqual(['verbose_json', 'json', 'json']);
});

test('the remote recognizer keeps requesting verbose_json after a window that is rejected in both formats', async () => {
  const { requests, recognize } = await provider((response, _times, form) =>
    form.get('language') === 'xx' ? respondWithStatus(400)(response) : respondWith({ text: 'Hello.' })(response),
  );
  expect(await failureOf(recognize({ language: 'xx' }))).toMatchObject({ why: 'failed', transient: false });
  await recognize();
  expect(requests.map(({ form }) => form.get('response_format'))).toEqual(['verbose_json', 'json', 'verbose_json']);
});

test.each([
  [401, '{"error":{"message":"Incorrect API key provided: sk-very-secret"}}'],
  [402, ''],
  [403, ''],
  [429, '{"error":{"code":"insufficient_quota"}}'],
])('HTTP %i %s is a quota failure and is not retried', async (status, body) => {
  const { requests, recognize } = await provider(respondWithStatus(status, body));
  expect(await failureOf(recognize())).toMatchObject({ why: 'quota', transient: false });
  expect(requests).toHaveLength(1);
});

test.each([429, 500, 503])('HTTP %i is transient and is tried three times', async (status) => {
  const { requests, recognize } = await provider(respondWithStatus(status));
  expect(await failureOf(recognize())).toMatchObject({ why: 'failed', transient: true });
  expect(requests).toHaveLength(3);
});

test('the remote recognizer recovers from transient errors', async () => {
  const { recognize } = await provider((response, count) =>
    count < 3 ? respondWithStatus(503)(response) : respondWith({ text: 'Hello.' })(response),
  );
  expect(await recognize()).toMatchObject([{ text: 'Hello.' }]);
});

test.each([404, 413])('HTTP %i is not retried', async (status) => {
  const { requests, recognize } = await provider(respondWithStatus(status));
  expect(await failureOf(recognize())).toMatchObject({ why: 'failed', transient: false });
  expect(requests).toHaveLength(1);
});

test.each([
  ['an unexpected object', '{"error":"no"}'],
  ['invalid times', '{"text":"x","segments":[{"start":-1,"end":"z","text":"x"}]}'],
])('a response with %s is an error', async (_, body) => {
  const { recognize } = await provider((response) => response.end(body));
  expect(await failureOf(recognize())).toMatchObject({ why: 'failed', transient: false });
});

test('an endless response is aborted', async () => {
  const { recognize } = await provider((response) => {
    const piece = 'x'.repeat(2 ** 20);
    const go = () => {
      while (response.write(piece));
    };
    response.on('error', () => {}).on('drain', go);
    go();
  });
  expect(await failureOf(recognize())).toMatchObject({ why: 'failed', transient: false });
});

test('a redirect to another origin is not followed', async () => {
  const other = await provider(respondWith({ text: 'Got it.' }));
  const { recognize } = await provider((response) =>
    response.writeHead(307, { location: `${other.url}audio/transcriptions` }).end(),
  );
  expect(await failureOf(recognize())).toMatchObject({ why: 'failed' });
  expect(other.requests).toHaveLength(0);
});

test('an aborted recognition rejects with the reason of the signal', async () => {
  const { requests, recognize } = await provider(() => {});
  const stop = new AbortController();
  const reason = new Error('Cancelled.');
  const recognized = recognize({ signal: stop.signal });
  recognized.catch(() => {});
  await expect.poll(() => requests.length).toBe(1);
  stop.abort(reason);
  await expect(recognized).rejects.toBe(reason);
});

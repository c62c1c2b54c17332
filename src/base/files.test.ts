import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Files, FileTooLarge, openFiles } from './files.ts';

let dir: string;
let files: Files;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-files-'));
  files = openFiles({ dir });
});
afterEach(() => rm(dir, { recursive: true }));

const kept = async () =>
  (await readdir(dir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

describe('what was put can be got', () => {
  it('from a buffer and from a stream, with its size, hash and first 16 KiB', async () => {
    const bytes = randomBytes(200_000);
    const pieces = Array.from({ length: 100 }, (_, i) => bytes.subarray(i * 2000, (i + 1) * 2000));
    for (const source of [bytes, Readable.from(pieces)]) {
      const stored = await files.put(source, { maxBytes: 200_000 });
      expect(stored.key).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(stored.sizeBytes).toBe(200_000);
      expect(stored.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(stored.head.equals(bytes.subarray(0, 16_384))).toBe(true);
      expect((await files.get(stored.key))?.equals(bytes)).toBe(true);
    }
  });

  it('as a stream, whole or in part', async () => {
    const { key } = await files.put(Buffer.from('0123456789'), { maxBytes: 10 });
    const whole = (await files.stream(key))!;
    expect(whole.sizeBytes).toBe(10);
    expect(String(await buffer(whole.stream))).toBe('0123456789');
    expect(String(await buffer((await files.stream(key, { start: 2, end: 4 }))!.stream))).toBe('234');
  });

  it('even when it is empty', async () => {
    const { key, sizeBytes, head } = await files.put(Buffer.alloc(0), { maxBytes: 10 });
    expect([sizeBytes, head.length, (await files.get(key))?.length]).toEqual([0, 0, 0]);
  });

  it('by its owner alone, in a folder that its random end names', async () => {
    const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
    expect((await stat(join(dir, key.slice(-2), key))).mode & 0o777).toBe(0o600);
  });

  it('until it is removed, which may be done twice', async () => {
    const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
    await files.remove(key);
    await files.remove(key);
    expect(await files.get(key)).toBeUndefined();
    expect(await files.stream(key)).toBeUndefined();
    expect(await kept()).toEqual([]);
  });
});

describe('an upload that fails leaves nothing behind', () => {
  it('over the limit: a typed error, and the source is left to its owner', async () => {
    const source = new PassThrough();
    source.write(Buffer.alloc(600));
    source.write(Buffer.alloc(600));
    const failure = await files.put(source, { maxBytes: 1000 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FileTooLarge);
    expect((failure as FileTooLarge).maxBytes).toBe(1000);
    expect(source.destroyed).toBe(false);
    expect(await kept()).toEqual([]);
    await expect(files.put(Buffer.alloc(1001), { maxBytes: 1000 })).rejects.toThrow(FileTooLarge);
    expect(await kept()).toEqual([]);
  });

  it('aborted while it waits for more', async () => {
    const source = new PassThrough();
    source.write(Buffer.alloc(600));
    const stop = new AbortController();
    const put = files.put(source, { maxBytes: 1000, signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    await expect(put).rejects.toThrow(/abort/i);
    expect(await kept()).toEqual([]);
    await expect(files.put(Buffer.alloc(1), { maxBytes: 9, signal: stop.signal })).rejects.toThrow(/abort/i);
    expect(await kept()).toEqual([]);
  });

  it('broken off by its sender', async () => {
    const source = new PassThrough();
    source.write(Buffer.alloc(600));
    setTimeout(() => source.destroy(new Error('connection lost')), 20);
    await expect(files.put(source, { maxBytes: 1000 })).rejects.toThrow('connection lost');
    expect(await kept()).toEqual([]);
  });

  it('cut off by a crash: tidied away after an hour, not before', async () => {
    await files.put(Buffer.from('x'), { maxBytes: 10 });
    expect(await files.tidy()).toBe(0);
    const [old, young] = ['old', 'young'].map((name) => join(dir, 'incoming', name)) as [string, string];
    await writeFile(old, 'x');
    await writeFile(young, 'x');
    const hourAgo = Date.now() / 1000 - 3601;
    await utimes(old, hourAgo, hourAgo);
    expect(await files.tidy()).toBe(1);
    expect(await readdir(join(dir, 'incoming'))).toEqual(['young']);
    expect(await kept()).toHaveLength(2);
    expect(await openFiles({ dir: join(dir, 'never-used') }).tidy()).toBe(0);
  });
});

it('no key leads out of the store', async () => {
  await writeFile(join(dir, 'secret'), 'x');
  const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
  for (const trick of [
    '',
    '.',
    '..',
    '../secret',
    'secret',
    `${key}/../../secret`,
    `../${key}`,
    `${key}\0`,
    `${key}\n`,
    key.toLowerCase(),
    `/${key}`,
    'incoming',
  ]) {
    expect(await files.get(trick)).toBeUndefined();
    expect(await files.stream(trick)).toBeUndefined();
    await files.remove(trick);
  }
  expect(await kept()).toHaveLength(2);
});

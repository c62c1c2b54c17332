import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Files, FileTooLarge } from '../../src/base/files.ts';
import { newId } from '../../src/base/ids.ts';

export interface FilesUnderTest {
  readonly files: Files;
  /** Folder of temporary files. */
  readonly drafts: string;
  /** All stored paths, including temporary files. */
  kept(): Promise<string[]>;
  close(): Promise<void>;
}

/** Test suite for implementations of `Files`. */
export function describeFiles(name: string, open: () => Promise<FilesUnderTest>): void {
  describe(name, () => {
    let store: FilesUnderTest;
    let files: Files;
    beforeEach(async () => {
      store = await open();
      files = store.files;
    });
    afterEach(() => store.close());

    describe('a stored file', () => {
      it('is stored from a buffer or a stream, with size, hash and first 16 KiB', async () => {
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

      it('can be read as a stream, completely or in part', async () => {
        const { key } = await files.put(Buffer.from('0123456789'), { maxBytes: 10 });
        const read = async (range?: { start?: number; end?: number }) => {
          const { sizeBytes, stream } = (await files.stream(key, range))!;
          return [sizeBytes, String(await buffer(stream))];
        };
        expect(await read()).toEqual([10, '0123456789']);
        expect(await read({ start: 2, end: 4 })).toEqual([10, '234']);
        expect(await read({ start: 0, end: 0 })).toEqual([10, '0']);
        expect(await read({ end: 3 })).toEqual([10, '0123']);
        expect(await read({ start: 7 })).toEqual([10, '789']);
        expect(await read({ start: 8, end: 99 })).toEqual([10, '89']);
        expect(await read({ start: 10, end: 20 })).toEqual([10, '']);
      });

      it('is read into one buffer of its own, if it has at most `maxBytes`', async () => {
        const { key } = await files.put(randomBytes(300_000), { maxBytes: 300_000 });
        const whole = (await files.get(key, { maxBytes: 300_000 }))!;
        expect([whole.length, whole.buffer.byteLength]).toEqual([300_000, 300_000]);
        await expect(files.get(key, { maxBytes: 299_999 })).rejects.toThrow(FileTooLarge);
      });

      it('is not read after an abort', async () => {
        const { key } = await files.put(randomBytes(300_000), { maxBytes: 300_000 });
        const stop = new AbortController();
        const got = files.get(key, { signal: stop.signal });
        stop.abort(new Error('aborted by the caller'));
        await expect(got).rejects.toThrow('aborted by the caller');
        await expect(files.get(key, { signal: stop.signal })).rejects.toThrow('aborted by the caller');
        expect((await files.get(key))?.length).toBe(300_000);
      });

      it('can be read at a path, of which no copy is left', async () => {
        const { signal } = new AbortController();
        const { key } = await files.put(Buffer.from('0123456789'), { maxBytes: 10 });
        const before = await store.kept();
        expect(await files.withPath(key, (path) => readFile(path, 'utf8'), { signal })).toBe('0123456789');
        const failing = files.withPath(key, () => Promise.reject(new Error('unreadable')), { signal });
        await expect(failing).rejects.toThrow('unreadable');
        const aborted = AbortSignal.abort(new Error('aborted by the caller'));
        const late = files.withPath(key, async () => aborted.throwIfAborted(), { signal: aborted });
        await expect(late).rejects.toThrow('aborted by the caller');
        expect(await store.kept()).toEqual(before);
        for (const missing of [newId(), '../x'])
          expect(await files.withPath(missing, (path) => readFile(path), { signal })).toBeUndefined();
        expect(await store.kept()).toEqual(before);
      });

      it('may be empty', async () => {
        const { key, sizeBytes, head } = await files.put(Buffer.alloc(0), { maxBytes: 10 });
        expect([sizeBytes, head.length, (await files.get(key))?.length]).toEqual([0, 0, 0]);
        const { sizeBytes: size, stream } = (await files.stream(key, { start: 0, end: 63 }))!;
        expect([size, (await buffer(stream)).length]).toEqual([0, 0]);
      });

      it('is not mixed up with others that are stored concurrently', async () => {
        const put = (i: number) => files.put(Readable.from([Buffer.from(`file ${i}`)]), { maxBytes: 100 });
        const stored = await Promise.all(Array.from({ length: 20 }, (_, i) => put(i)));
        const got = await Promise.all(stored.map(({ key }) => files.get(key)));
        expect(got.map(String)).toEqual(stored.map((_, i) => `file ${i}`));
      });

      it('no longer exists after removal, which may be repeated', async () => {
        const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
        await files.remove(key);
        await files.remove(key);
        expect(await files.get(key)).toBeUndefined();
        expect(await files.stream(key)).toBeUndefined();
        expect(await store.kept()).toEqual([]);
      });

      it('may be left unread', async () => {
        const { key } = await files.put(randomBytes(1_000_000), { maxBytes: 1_000_000 });
        for (const stopAfter of [0, 1]) {
          const { stream } = (await files.stream(key))!;
          for (let i = 0; i < stopAfter; i++) await stream.iterator({ destroyOnReturn: false }).next();
          await new Promise((resolve) => stream.destroy().once('close', resolve));
        }
        expect((await files.get(key))?.length).toBe(1_000_000);
      });
    });

    describe('a failed upload leaves no files', () => {
      it('if it exceeds the limit, and does not destroy its source', async () => {
        const source = new PassThrough();
        source.write(Buffer.alloc(600));
        source.write(Buffer.alloc(600));
        const failure = await files.put(source, { maxBytes: 1000 }).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(FileTooLarge);
        expect((failure as FileTooLarge).maxBytes).toBe(1000);
        expect(source.destroyed).toBe(false);
        expect(await store.kept()).toEqual([]);
        await expect(files.put(Buffer.alloc(1001), { maxBytes: 1000 })).rejects.toThrow(FileTooLarge);
        expect(await store.kept()).toEqual([]);
      });

      it('if it is aborted while it waits for data', async () => {
        const source = new PassThrough();
        source.write(Buffer.alloc(600));
        const stop = new AbortController();
        const put = files.put(source, { maxBytes: 1000, signal: stop.signal });
        setTimeout(() => stop.abort(), 20);
        await expect(put).rejects.toThrow(/abort/i);
        expect(await store.kept()).toEqual([]);
        await expect(files.put(Buffer.alloc(1), { maxBytes: 9, signal: stop.signal })).rejects.toThrow(/abort/i);
        expect(await store.kept()).toEqual([]);
      });

      it.each(['at once', 'later'])('if its source fails %s', async (when) => {
        const source = new PassThrough();
        source.write(Buffer.alloc(600));
        const fail = () => source.destroy(new Error('connection lost'));
        if (when === 'later') setTimeout(fail, 20);
        const put = files.put(source, { maxBytes: 1000 });
        if (when === 'at once') fail();
        await expect(put).rejects.toThrow('connection lost');
        expect(await store.kept()).toEqual([]);
      });

      it('after a crash, once an hour has passed', async () => {
        expect(await files.cleanup()).toBe(0);
        await files.put(Buffer.from('x'), { maxBytes: 10 });
        expect(await files.cleanup()).toBe(0);
        const [old, young] = ['old', 'young'].map((each) => join(store.drafts, each)) as [string, string];
        await writeFile(old, 'x');
        await writeFile(young, 'x');
        const hourAgo = Date.now() / 1000 - 3601;
        await utimes(old, hourAgo, hourAgo);
        expect(await files.cleanup()).toBe(1);
        expect(await readdir(store.drafts)).toEqual(['young']);
        expect(await store.kept()).toHaveLength(2);
      });
    });

    it('rejects keys that lead out of the store', async () => {
      const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
      const tricks = ['', '.', '..', '../secret', 'secret', `${key}/../../secret`, `../${key}`, `/${key}`, 'incoming'];
      for (const trick of [...tricks, `${key}\0`, `${key}\n`, `${key}?x`, `${key}%00`, key.toLowerCase()]) {
        expect(await files.get(trick)).toBeUndefined();
        expect(await files.stream(trick)).toBeUndefined();
        await files.remove(trick);
      }
      expect(await files.get(newId())).toBeUndefined();
      expect(await store.kept()).toHaveLength(1);
    });
  });
}

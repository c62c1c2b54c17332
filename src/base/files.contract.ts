import { createHash, randomBytes } from 'node:crypto';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Files, FileTooLarge } from './files.ts';
import { newId } from './ids.ts';

/** What the suite needs besides the store itself. */
export interface FilesUnderTest {
  readonly files: Files;
  /** Where drafts lie. */
  readonly drafts: string;
  /** All that is kept, by whatever name, drafts included. */
  kept(): Promise<string[]>;
  close(): Promise<void>;
}

/** Holds an implementation of the file store to its promises. */
export function describeFiles(name: string, open: () => Promise<FilesUnderTest>): void {
  describe(name, () => {
    let under: FilesUnderTest;
    let files: Files;
    beforeEach(async () => {
      under = await open();
      files = under.files;
    });
    afterEach(() => under.close());

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

      it('in one piece of memory of its own, and of as many bytes as are wanted at most', async () => {
        const { key } = await files.put(randomBytes(300_000), { maxBytes: 300_000 });
        const whole = (await files.get(key, { maxBytes: 300_000 }))!;
        expect([whole.length, whole.buffer.byteLength]).toEqual([300_000, 300_000]);
        await expect(files.get(key, { maxBytes: 299_999 })).rejects.toThrow(FileTooLarge);
      });

      it('unless nobody wants it any more', async () => {
        const { key } = await files.put(randomBytes(300_000), { maxBytes: 300_000 });
        const stop = new AbortController();
        const got = files.get(key, { signal: stop.signal });
        stop.abort(new Error('no longer wanted'));
        await expect(got).rejects.toThrow('no longer wanted');
        await expect(files.get(key, { signal: stop.signal })).rejects.toThrow('no longer wanted');
        expect((await files.get(key))?.length).toBe(300_000);
      });

      it('even when it is empty', async () => {
        const { key, sizeBytes, head } = await files.put(Buffer.alloc(0), { maxBytes: 10 });
        expect([sizeBytes, head.length, (await files.get(key))?.length]).toEqual([0, 0, 0]);
        const { sizeBytes: size, stream } = (await files.stream(key, { start: 0, end: 63 }))!;
        expect([size, (await buffer(stream)).length]).toEqual([0, 0]);
      });

      it('by many at once, each its own', async () => {
        const put = (i: number) => files.put(Readable.from([Buffer.from(`file ${i}`)]), { maxBytes: 100 });
        const stored = await Promise.all(Array.from({ length: 20 }, (_, i) => put(i)));
        const got = await Promise.all(stored.map(({ key }) => files.get(key)));
        expect(got.map(String)).toEqual(stored.map((_, i) => `file ${i}`));
      });

      it('until it is removed, which may be done twice', async () => {
        const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
        await files.remove(key);
        await files.remove(key);
        expect(await files.get(key)).toBeUndefined();
        expect(await files.stream(key)).toBeUndefined();
        expect(await under.kept()).toEqual([]);
      });

      it('and is left unread without harm', async () => {
        const { key } = await files.put(randomBytes(1_000_000), { maxBytes: 1_000_000 });
        for (const stopAfter of [0, 1]) {
          const { stream } = (await files.stream(key))!;
          for (let i = 0; i < stopAfter; i++) await stream.iterator({ destroyOnReturn: false }).next();
          await new Promise((resolve) => stream.destroy().once('close', resolve));
        }
        expect((await files.get(key))?.length).toBe(1_000_000);
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
        expect(await under.kept()).toEqual([]);
        await expect(files.put(Buffer.alloc(1001), { maxBytes: 1000 })).rejects.toThrow(FileTooLarge);
        expect(await under.kept()).toEqual([]);
      });

      it('aborted while it waits for more', async () => {
        const source = new PassThrough();
        source.write(Buffer.alloc(600));
        const stop = new AbortController();
        const put = files.put(source, { maxBytes: 1000, signal: stop.signal });
        setTimeout(() => stop.abort(), 20);
        await expect(put).rejects.toThrow(/abort/i);
        expect(await under.kept()).toEqual([]);
        await expect(files.put(Buffer.alloc(1), { maxBytes: 9, signal: stop.signal })).rejects.toThrow(/abort/i);
        expect(await under.kept()).toEqual([]);
      });

      it('broken off by its sender', async () => {
        const source = new PassThrough();
        source.write(Buffer.alloc(600));
        setTimeout(() => source.destroy(new Error('connection lost')), 20);
        await expect(files.put(source, { maxBytes: 1000 })).rejects.toThrow('connection lost');
        expect(await under.kept()).toEqual([]);
      });

      it('cut off by a crash: tidied away after an hour, not before', async () => {
        expect(await files.tidy()).toBe(0);
        await files.put(Buffer.from('x'), { maxBytes: 10 });
        expect(await files.tidy()).toBe(0);
        const [old, young] = ['old', 'young'].map((each) => join(under.drafts, each)) as [string, string];
        await writeFile(old, 'x');
        await writeFile(young, 'x');
        const hourAgo = Date.now() / 1000 - 3601;
        await utimes(old, hourAgo, hourAgo);
        expect(await files.tidy()).toBe(1);
        expect(await readdir(under.drafts)).toEqual(['young']);
        expect(await under.kept()).toHaveLength(2);
      });
    });

    it('no key leads out of the store', async () => {
      const { key } = await files.put(Buffer.from('x'), { maxBytes: 10 });
      const tricks = ['', '.', '..', '../secret', 'secret', `${key}/../../secret`, `../${key}`, `/${key}`, 'incoming'];
      for (const trick of [...tricks, `${key}\0`, `${key}\n`, `${key}?x`, `${key}%00`, key.toLowerCase()]) {
        expect(await files.get(trick)).toBeUndefined();
        expect(await files.stream(trick)).toBeUndefined();
        await files.remove(trick);
      }
      expect(await files.get(newId())).toBeUndefined();
      expect(await under.kept()).toHaveLength(1);
    });
  });
}

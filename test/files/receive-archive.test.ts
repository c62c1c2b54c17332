import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { requireFreeSpace } from '../../src/base/files/free-space.ts';
import { requireArrivalRate } from '../../src/services/shared/arrival-rate.ts';
import { receiveArchive } from '../../src/services/shared/batches/archive-items.ts';
import { archiveOf } from '../support/archive.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-archive-'));
});
afterAll(() => rm(dir, { recursive: true }));

it('An archive needs free space on the disk', async () => {
  await requireFreeSpace(dir, 0);
  await expect(requireFreeSpace(dir, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
});

it('An archive that arrives slower than 64 KiB/s in a minute fails with REQUEST_TIMEOUT', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const body = new PassThrough({ highWaterMark: 2 ** 24 });
  const received: number[] = [];
  const receiving = (async () => {
    for await (const chunk of requireArrivalRate(body)) received.push(chunk.length);
  })();
  receiving.catch(() => {});
  const send = async (bytes: number) => {
    body.write(Buffer.alloc(bytes));
    await vi.waitFor(() => expect(received.pop()).toBe(bytes));
    vi.advanceTimersByTime(60_000);
  };
  await send(64 * 1024 * 60);
  expect(body.destroyed).toBe(false);
  await send(1000);
  await expect(receiving).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  expect(vi.getTimerCount()).toBe(0);
});

describe('An archive whose upload stops', () => {
  it('fails with the error of the upload and leaves the files of other requests open', async () => {
    await writeFile(join(dir, 'other'), 'other');
    let unfinished = 200;
    const openOthers = async () => {
      while (unfinished > 0) {
        const file = await open(join(dir, 'other'), 'r');
        expect(await file.readFile('utf8')).toBe('other');
        await file.close();
      }
    };
    const stop = async () => {
      const body = Readable.from(
        (async function* () {
          yield Buffer.alloc(1000);
          await stat(dir);
          throw new Error('The client has disconnected.');
        })(),
      );
      const received = receiveArchive(body, dir, async () => {}).finally(() => unfinished--);
      await expect(received).rejects.toThrow('The client has disconnected.');
    };
    await Promise.all([...Array.from({ length: 8 }, openOthers), ...Array.from({ length: unfinished }, stop)]);
  });

  it('is used while its file is open, and errors of its reader do not end the process', async () => {
    const body = Readable.from([await archiveOf([['a.jpg', Buffer.from('x')]])]);
    const count = await receiveArchive(body, dir, async (archive) => {
      archive.emit('error', new Error('The disk is broken.'));
      return archive.entryCount;
    });
    expect(count).toBe(1);
  });
});

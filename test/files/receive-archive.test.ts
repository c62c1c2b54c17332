import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiveArchive } from '../../src/services/shared/batches/archive-items.ts';
import { archiveOf } from '../support/archive.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-archive-'));
});
afterAll(() => rm(dir, { recursive: true }));

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

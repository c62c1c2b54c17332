import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry, ZipFile } from 'yauzl';
import { type ArchiveFile, listArchiveFiles, readHead } from './archive-files.ts';
import { receiveArchive } from './archive-items.ts';
import { createInvalidItems } from './invalid-items.ts';

const FILE: ArchiveFile = { name: 'a.jpg', entry: { crc32: 1 } as Entry };
const read = (source: Readable) =>
  readHead({ openReadStreamPromise: async () => source } as unknown as ZipFile, FILE, 9);

test('a disk that fails while a file is read is not a damaged file', async () => {
  const failing = () =>
    new Readable({
      read() {
        this.destroy(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' }));
      },
    });
  await expect(read(failing())).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503 });
  await expect(read(Readable.from([Buffer.from('a')]))).rejects.toThrow('The file is damaged: the checksum');
});

test('damaged archives and files are described without the texts of libraries', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-archive-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const list = (message: string) => {
    const entries = Readable.from([]);
    entries.destroy(new Error(message));
    const archive = { entryCount: 1, eachEntry: () => entries } as unknown as ZipFile;
    return listArchiveFiles(archive, { maxFiles: 1, maxFileBytes: 1, invalid: createInvalidItems(false) });
  };
  const unreadable = new Readable({
    read() {
      this.destroy(Object.assign(new Error('invalid stored block lengths'), { code: 'Z_DATA_ERROR' }));
    },
  });
  const results = await Promise.allSettled([
    receiveArchive(Readable.from([Buffer.from('{}')]), dataDir, async () => {}),
    list('invalid central directory file header signature: 0x0'),
    list('strong encryption is not supported'),
    read(unreadable),
  ]);
  expect(results.map((result) => result.status === 'rejected' && result.reason.message)).toEqual([
    'The file is not a complete ZIP archive.',
    'The directory of the archive is damaged.',
    'The archive is encrypted.',
    'The file is damaged: it cannot be unpacked.',
  ]);
});

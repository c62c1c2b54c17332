import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Entry, ZipFile } from 'yauzl';
import { type ArchiveFile, readHead } from './archive-files.ts';

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

import { statfs } from 'node:fs/promises';
import { StorageUnavailable, toStorageError } from './storage-unavailable.ts';

/** Kept for the database and single files (chosen): 1 GiB, or 5 % of a smaller disk. */
const RESERVED = { bytes: 2 ** 30, share: 0.05 };

/** Throws {@link StorageUnavailable} if `bytes` do not fit on the disk of `dir` beside the reserve. */
export async function requireFreeSpace(dir: string, bytes: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(dir).catch((error: unknown) => {
    throw toStorageError(error);
  });
  const reserved = Math.min(RESERVED.bytes, RESERVED.share * blocks * bsize);
  if (bavail * bsize < bytes + reserved) throw new StorageUnavailable('the disk is almost full');
}

/** Bytes between two looks at the free space. */
const SPACE_CHECK_BYTES = 64 * 2 ** 20;

/** The chunks of `body` while they fit on the disk of `dir`, as {@link requireFreeSpace}. */
export async function* withFreeSpace(
  body: AsyncIterable<Buffer>,
  dir: string,
): AsyncGenerator<Buffer, void, undefined> {
  let checked = 0;
  for await (const chunk of body) {
    checked -= chunk.length;
    if (checked <= 0) {
      checked = SPACE_CHECK_BYTES;
      await requireFreeSpace(dir, SPACE_CHECK_BYTES);
    }
    yield chunk;
  }
}

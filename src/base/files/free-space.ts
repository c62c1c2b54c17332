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

import { Fault } from '../faults.ts';

/**
 * The storage of files cannot be used now: it cannot be reached, is overloaded, or refuses us. Clients are told 503, a
 * worker tries again later: neither the request nor the task is at fault.
 */
export class StorageAway extends Fault {
  /** For logs: what went wrong, without a secret. */
  readonly reason: string;
  /** What the storage answered, if it did: the status, and the code of S3 in its body. */
  readonly answered: { readonly status: number; readonly code: string } | undefined;

  constructor(reason: string, answered?: { status: number; code: string }) {
    super('STORAGE_UNAVAILABLE', 503, 'Files cannot be stored or read now.', { 'retry-after': '5' });
    this.reason = reason;
    this.answered = answered;
  }
}

/** Whether this is, or was caused by, a storage that cannot be used now. */
export function isStorageAway(error: unknown): boolean {
  return error instanceof StorageAway || (error instanceof Error && isStorageAway(error.cause));
}

/**
 * For what goes wrong in a local folder: what the disk has against it (full, broken, read-only, away) is that refusal too;
 * every other error stays what it is.
 */
export function ofDisk(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  // What fails on an open file names no path: then it is the code that tells a disk from a connection. What names one may
  // have any code: Node 20 says of a folder that a full disk has no room for that it does not exist.
  const { code = '' } = error as NodeJS.ErrnoException;
  return 'path' in error || OF_DISKS.has(code) ? new StorageAway(`the disk says ${code}`) : error;
}

const OF_DISKS = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG', 'ESTALE', 'ENODEV', 'ENXIO']);

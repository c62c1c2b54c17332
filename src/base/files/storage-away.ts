import { Fault } from '../faults.ts';

/** The file storage is unreachable, overloaded or rejects the credentials. Clients get 503; workers retry the task. */
export class StorageAway extends Fault {
  /** For logs; contains no secrets. */
  readonly reason: string;
  /** HTTP status and S3 error code of the storage's response; undefined without a response. */
  readonly answered: { readonly status: number; readonly code: string } | undefined;

  constructor(reason: string, answered?: { status: number; code: string }) {
    super('STORAGE_UNAVAILABLE', 503, 'Files cannot be stored or read now.', { 'retry-after': '5' });
    this.reason = reason;
    this.answered = answered;
  }
}

export function isStorageAway(error: unknown): boolean {
  return error instanceof StorageAway || (error instanceof Error && isStorageAway(error.cause));
}

/** Converts errors of the disk (full, broken, read-only, missing) to {@link StorageUnavailable}; returns others unchanged. */
export function ofDisk(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  // Errors on an open file have no path: then the code distinguishes a disk from a connection. With a path any code counts:
  // Node 20 reports ENOENT if a full disk has no space for a folder.
  const { code = '' } = error as NodeJS.ErrnoException;
  return 'path' in error || DISK_ERRORS.has(code) ? new StorageAway(`disk error ${code}`) : error;
}

const DISK_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG', 'ESTALE', 'ENODEV', 'ENXIO']);

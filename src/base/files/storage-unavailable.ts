import { ApiError } from '../api-error.ts';

/** The file storage is unreachable, overloaded or rejects the credentials. Clients get 503; workers retry the task. */
export class StorageUnavailable extends ApiError {
  /** For logs; contains no secrets. */
  readonly reason: string;
  /** HTTP status and S3 error code of the storage's response; undefined without a response. */
  readonly response: { readonly status: number; readonly code: string } | undefined;

  constructor(reason: string, answered?: { status: number; code: string }) {
    super('STORAGE_UNAVAILABLE', 503, 'Files cannot be stored or read now.', { 'retry-after': '5' });
    this.reason = reason;
    this.response = answered;
  }
}

export function isStorageUnavailable(error: unknown): boolean {
  return error instanceof StorageUnavailable || (error instanceof Error && isStorageUnavailable(error.cause));
}

/** Converts errors of the disk (full, broken, read-only, missing) to {@link StorageUnavailable}; returns others unchanged. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  // Errors on an open file have no path: then the code distinguishes a disk from a connection. With a path any code counts:
  // Node 20 reports ENOENT if a full disk has no space for a folder.
  const { code = '' } = error as NodeJS.ErrnoException;
  return 'path' in error || DISK_ERRORS.has(code) ? new StorageUnavailable(`disk error ${code}`) : error;
}

const DISK_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG', 'ESTALE', 'ENODEV', 'ENXIO']);

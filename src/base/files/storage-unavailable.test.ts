import { expect, it } from 'vitest';
import { toStorageError } from './storage-unavailable.ts';

const failed = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(`${code}: ${syscall}`), { code, syscall, ...(path !== undefined && { path }) });

it.each([
  ['a disk that is full, which names no path', failed('ENOSPC', 'write')],
  ['a disk that fails', failed('EIO', 'fsync')],
  ['a folder that is not ours', failed('EACCES', 'open', '/data/files')],
])('toStorageError converts %s to StorageUnavailable', (_, error) => {
  expect(toStorageError(error)).toMatchObject({ status: 503, code: 'STORAGE_UNAVAILABLE' });
});

it.each([
  ['a client that hangs up', failed('ECONNRESET', 'read')],
  ['a fault of ours', new TypeError('no')],
])('toStorageError does not convert %s', (_, error) => {
  expect(toStorageError(error)).toBe(error);
});

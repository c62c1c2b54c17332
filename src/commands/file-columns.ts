import type { FileColumn } from '../base/backup/file-columns.ts';

/** A backup checks that it contains the referenced files. */
export const FILE_COLUMNS: readonly FileColumn[] = [
  { table: 'files', column: 'key', where: 'expires_at > now()' }, // housekeeping deletes the bytes first, then the row
  { table: 'passport_files', column: 'key' },
  { table: 'passport_pictures', column: 'key' },
  { table: 'passport_images', column: 'file_key' },
  { table: 'catalog_records', column: 'picture_key' },
];

import type { FileColumn } from '../base/backup/file-columns.ts';

/** Every column by which rows hold on to files of the store: a backup looks that these files are in it. */
export const FILE_COLUMNS: readonly FileColumn[] = [
  { table: 'files', column: 'key', where: 'expires_at > now()' }, // housekeeping removes the bytes first, then the row
  { table: 'passport_files', column: 'key' },
  { table: 'passport_pictures', column: 'key' },
  { table: 'passport_images', column: 'file_key' },
  { table: 'catalog_records', column: 'picture_key' },
];

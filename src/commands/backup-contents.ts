import type { BackupContents } from '../base/backup/create-backup.ts';
import { services } from '../services/index.ts';

const declared = services.map(({ backup = {} }) => backup);

/** Of the core and of every service, whether or not this installation runs it. */
export const BACKUP_CONTENTS: BackupContents = {
  folders: ['keys', 'credentials', ...declared.flatMap(({ folders = [] }) => folders)],
  fileColumns: [
    { table: 'files', column: 'key', where: 'expires_at > now()' }, // the cleanup deletes the bytes first, then the row
    ...declared.flatMap(({ fileColumns = [] }) => fileColumns),
  ],
  transientTables: ['workers', 'rate_gateways', 'rate_points', 'file_storage'],
  startTables: ['departed_metrics', 'models', ...declared.flatMap(({ startTables = [] }) => startTables)],
};

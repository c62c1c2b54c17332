import type { Transaction } from '../db.ts';
import type { FileSnapshot } from './file-snapshot.ts';
import type { Table } from './tables.ts';

export interface FileColumn {
  readonly table: string;
  readonly column: string;
  /** SQL condition of the rows that need their file; default: all. */
  readonly where?: string;
}

/** Keys that rows refer to but that are missing in the snapshot. */
export async function missingFiles(
  tx: Transaction,
  tables: readonly Table[],
  columns: readonly FileColumn[],
  files: Pick<FileSnapshot, 'has'>,
): Promise<string[]> {
  // A database of an earlier version lacks some columns.
  const existing = columns.filter(({ table, column }) =>
    tables.some(({ name, columns }) => name === table && columns.includes(column)),
  );
  if (existing.length === 0) return [];
  const selects = existing.map(
    ({ table, column, where = 'true' }) => `select ${column} from ${table} where ${column} is not null and ${where}`,
  );
  const missing: string[] = [];
  let incomplete = '';
  await tx.copyOut(`copy (${selects.join(' union ')}) to stdout`, async (rows) => {
    const keys = (incomplete + rows.toString('latin1')).split('\n');
    incomplete = keys.pop()!;
    const found = await Promise.all(keys.map((key) => files.has(key)));
    missing.push(...keys.filter((_, i) => !found[i]));
  });
  return missing;
}

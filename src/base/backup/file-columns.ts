import type { Transaction } from '../db.ts';
import type { HeldFiles } from './held-files.ts';
import type { Table } from './tables.ts';

/** A column whose values are keys of the file store. */
export interface FileColumn {
  readonly table: string;
  readonly column: string;
  /** Which rows need their file; absent: all of them. */
  readonly where?: string;
}

/** Keys that rows name and that are not held. */
export async function missingFiles(
  tx: Transaction,
  tables: readonly Table[],
  columns: readonly FileColumn[],
  files: Pick<HeldFiles, 'has'>,
): Promise<string[]> {
  // A database of an earlier version does not have all of them yet.
  const there = columns.filter(({ table, column }) =>
    tables.some(({ name, columns }) => name === table && columns.includes(column)),
  );
  if (there.length === 0) return [];
  const selects = there.map(
    ({ table, column, where = 'true' }) => `select ${column} from ${table} where ${column} is not null and ${where}`,
  );
  const missing: string[] = [];
  let begun = '';
  await tx.copyOut(`copy (${selects.join(' union ')}) to stdout`, async (rows) => {
    const keys = (begun + rows.toString('latin1')).split('\n');
    begun = keys.pop()!;
    const held = await Promise.all(keys.map((key) => files.has(key)));
    missing.push(...keys.filter((_, i) => !held[i]));
  });
  return missing;
}

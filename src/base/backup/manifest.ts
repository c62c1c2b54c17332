import { type AppliedMigration, pendingMigrations } from '../migrate.ts';
import type { Migration } from '../migration-files.ts';
import { OperatorError } from '../operator-error.ts';
import type { Sequence, Table } from './tables.ts';

/** The first entry of a backup. */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** Of the program that created it. */
  readonly version: string;
  /** Time of the database snapshot, ISO 8601. */
  readonly taken_at: string;
  readonly migrations: readonly AppliedMigration[];
  /** In dependency order. */
  readonly tables: readonly Table[];
  readonly counters: readonly Sequence[];
  /** Bucket of the files; absent if the backup contains them. */
  readonly files_in?: string;
}

export const MANIFEST_NAME = 'backup.json';
const FORMAT = 'assay-backup-1';

export function serializeManifest(fields: Omit<Manifest, 'format'>): Buffer {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, ...fields }, undefined, 2)}\n`, 'utf8');
}

/** Throws an `OperatorError` for an unknown format, and for a backup that is newer than this program. */
export function parseManifest(text: string, migrations: Migration[]): Manifest {
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== FORMAT) {
    throw new OperatorError(`The backup has an unknown format: it was created by Assay ${manifest.version}.`);
  }
  const newer = manifest.migrations.find(({ version }) => !migrations.some((known) => known.version === version));
  if (newer) {
    throw new OperatorError(
      `The backup is newer than this program: it has the unknown migration ${newer.name}. ` +
        `Restore it with Assay ${manifest.version} or newer.`,
    );
  }
  pendingMigrations(migrations, [...manifest.migrations]); // throws if the history differs
  return manifest;
}

export const migrationsOf = ({ migrations }: Manifest, known: readonly Migration[]): Migration[] =>
  known.filter(({ version }) => migrations.some((was) => was.version === version));

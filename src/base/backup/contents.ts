import { type Applied, pending } from '../migrate.ts';
import type { Migration } from '../migration-files.ts';
import { OperatorError } from '../operator-error.ts';
import type { Counter, Table } from './tables.ts';

/** The first entry of a backup: what is in it. */
export interface Contents {
  readonly format: typeof FORMAT;
  /** Of the program that made it. */
  readonly version: string;
  /** The moment that it shows, ISO 8601. */
  readonly taken_at: string;
  readonly migrations: readonly Applied[];
  /** In an order in which they can be filled. */
  readonly tables: readonly Table[];
  readonly counters: readonly Counter[];
  /** The bucket where the files are; absent: they are in the backup. */
  readonly files_in?: string;
}

export const CONTENTS_NAME = 'backup.json';
const FORMAT = 'assay-backup-1';

export function contents(of: Omit<Contents, 'format'>): Buffer {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, ...of }, undefined, 2)}\n`, 'utf8');
}

/** Reads the first entry; refuses one of another making, and a backup that this program is too old for. */
export function readContents(text: string, migrations: Migration[]): Contents {
  const read = JSON.parse(text) as Contents;
  if (read.format !== FORMAT) {
    throw new OperatorError(`This backup has a form that is not known here: it was made by Assay ${read.version}.`);
  }
  const newer = read.migrations.find(({ version }) => !migrations.some((known) => known.version === version));
  if (newer) {
    throw new OperatorError(
      `The backup is newer than this program: it has the migration ${newer.name}, which is not known here. ` +
        `Restore it with Assay ${read.version}, or a later one.`,
    );
  }
  pending(migrations, [...read.migrations]); // the same history, or a sentence
  return read;
}

/** Those that the database had when the backup was taken. */
export const migrationsOf = ({ migrations }: Contents, known: readonly Migration[]): Migration[] =>
  known.filter(({ version }) => migrations.some((was) => was.version === version));

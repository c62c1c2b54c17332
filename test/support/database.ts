import { createHash, randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { type Db, openDb, type Transaction } from '../../src/base/db.ts';
import { createLog } from '../../src/base/log.ts';
import { migrate } from '../../src/base/migrate.ts';
import { readMigrations } from '../../src/base/migration-files.ts';

export interface TestDatabase {
  url: string;
  db: Db;
  /** Also closes `db`. */
  drop(): Promise<void>;
}

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const LOCK = 729_180_443;
const log = createLog('error', 'test');

/** A new database with the whole schema, copied from a template that is migrated once per schema. */
export const testDatabase = async (): Promise<TestDatabase> => createDatabase(await migratedTemplate());

export const emptyDatabase = (): Promise<TestDatabase> => createDatabase('template0');

async function createDatabase(template: string): Promise<TestDatabase> {
  const name = `assay_test_${randomBytes(6).toString('hex')}`;
  // File copy instead of WAL: 10 ms instead of 180 ms without fsync (measured).
  await admin().query(`create database ${name} template ${template} strategy file_copy`);
  const db = openDb({ url: urlOf(name), log, applicationName: 'test' });
  return {
    url: urlOf(name),
    db,
    async drop() {
      await db.close();
      await admin().query(`drop database if exists ${name} with (force)`);
    },
  };
}

/** One pool for all files of this process: a connection can take 40 ms of CPU time (measured). */
let adminPool: Db | undefined;
const admin = (): Db => (adminPool ??= openDb({ url: inject('databaseUrl'), log, max: 2 }));

let templateName: Promise<string> | undefined;

/** The name contains a hash of the migrations, because the server may outlive the run. */
function migratedTemplate(): Promise<string> {
  templateName ??= (async () => {
    const migrations = await readMigrations(MIGRATIONS);
    const hash = createHash('sha256').update(migrations.map(({ checksum }) => checksum).join());
    const name = `assay_template_${hash.digest('hex').slice(0, 12)}`;
    // One connection holds the lock while another one works: "create database" cannot run in a transaction. A loaded
    // machine takes longer for that than a transaction may be idle, or wait for the lock, by default.
    const createTemplate = async (tx: Transaction) => {
      await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
      const { rowCount } = await tx.query('select from pg_database where datname = $1', [name]);
      if (rowCount > 0) return;
      // Renamed last, so that an existing template is complete even after a killed run.
      await admin().query(`drop database if exists ${name}_unfinished with (force)`);
      await admin().query(`create database ${name}_unfinished template template0`);
      const db = openDb({ url: urlOf(`${name}_unfinished`), log, max: 3 });
      await migrate(db, MIGRATIONS).finally(() => db.close());
      await admin().query(`alter database ${name}_unfinished rename to ${name}`);
    };
    await admin().transaction(createTemplate, { statementTimeoutMs: 110_000 });
    return name;
  })();
  return templateName;
}

function urlOf(database: string): string {
  const url = new URL(inject('databaseUrl'));
  url.pathname = `/${database}`;
  return url.href;
}

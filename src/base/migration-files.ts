import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from './operator-error.ts';

export interface Migration {
  version: number;
  name: string;
  checksum: string;
  sql: string;
  /** Older programs work with this migration: `-- additive` in its first lines. */
  additive: boolean;
  /** Set by `-- no transaction` in its first lines: the statements run one by one. */
  indexStatements?: readonly IndexStatement[];
}

export interface IndexStatement {
  sql: string;
  creates?: string;
}

/** The files `NNNN_name.sql` of a folder, in order. */
export async function readMigrations(folder: string | URL): Promise<Migration[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder;
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  for (const name of names) {
    const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
    if (!version) throw new OperatorError(`The migration ${name} must be named like 0001_what_it_does.sql.`);
    if (version === migrations.at(-1)?.version) throw new OperatorError(`Two migrations have the number ${version}.`);
    // Git on Windows may have converted the line ends.
    const sql = (await readFile(join(path, name), 'utf8')).replaceAll('\r\n', '\n');
    const declared = declarations(sql);
    migrations.push({
      ...{ version, name, sql },
      checksum: createHash('sha256').update(sql).digest('hex'),
      additive: declared.has('additive'),
      ...(declared.has('no transaction') && { indexStatements: indexStatements(name, sql) }),
    });
  }
  return migrations;
}

/** The SQL of a migration without `concurrently`, for use inside a transaction on empty tables. */
export const transactionalSql = ({ sql, indexStatements: alone }: Migration): string =>
  alone ? sql.replaceAll(CONCURRENTLY, 'index') : sql;

const CONCURRENTLY = /\bindex\s+concurrently\b/gi;
const CREATES = /^create\s+(?:unique\s+)?index\s+concurrently\s+(\w+)\s+on\s/i;
const DROPS = /^drop\s+index\s+concurrently\s+if\s+exists\s+\w+$/i;

/** In the comment lines before the first statement. */
function declarations(sql: string): Set<string> {
  const lines = sql.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('--'));
  return new Set(lines.slice(0, first < 0 ? lines.length : first).map((line) => line.replace(/^--/, '').trim()));
}

/** Only index statements may run outside a transaction, because they can be repeated after an interruption. */
function indexStatements(name: string, sql: string): IndexStatement[] {
  const statements = sql
    .split('\n')
    .map((line) => line.split('--')[0])
    .join('\n')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return statements.map((statement) => {
    const creates = CREATES.exec(statement)?.[1];
    if (creates !== undefined) return { sql: statement, creates };
    if (DROPS.test(statement)) return { sql: statement };
    throw new OperatorError(
      `The migration ${name} declares "no transaction": its statements must be "create index concurrently NAME on …" or ` +
        '"drop index concurrently if exists NAME".',
    );
  });
}

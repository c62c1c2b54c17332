import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Queryable, Transaction } from '../db.ts';
import type { Migration } from '../migration-files.ts';

export interface Table {
  readonly name: string;
  /** Without generated columns. */
  readonly columns: readonly string[];
}

export interface Sequence {
  readonly table: string;
  readonly column: string;
  readonly value: number;
}

/** Names of the tables and functions that exist after these migrations, in a database that may also hold others. */
export function createdObjects(migrations: readonly Pick<Migration, 'sql'>[]): {
  tables: string[];
  functions: string[];
} {
  const tables = new Set(['schema_migrations']);
  const functions = new Set<string>();
  const sql = migrations.map((migration) => migration.sql).join('\n');
  for (const [, verb, kind, name, newName] of sql.matchAll(STATEMENT)) {
    const names = kind === 'table' ? tables : functions;
    if (verb === 'create') names.add(name!);
    else if (verb === 'drop' || newName) names.delete(name!);
    if (newName) names.add(newName);
  }
  return { tables: [...tables], functions: [...functions] };
}

const STATEMENT =
  /(?:^|;)[ \t]*(create|alter|drop)(?: or replace)?(?: unlogged)? (table|function)(?: if (?:not )?exists)? (\w+)(?:\([^)]*\))?(?: rename to (\w+))?/gm;

/** The columns of these tables, in order of their foreign keys. */
export async function describeTables(tx: Queryable, names: readonly string[]): Promise<Table[]> {
  const { rows } = await tx.query<Table & { references: string[] }>(
    `select c.relname as name,
            array(select a.attname::text
                    from pg_attribute a
                   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                   order by a.attnum) as columns,
            array(select f.relname::text
                    from pg_constraint k join pg_class f on f.oid = k.confrelid
                   where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as references
       from pg_class c
      where c.oid = any(select to_regclass(quote_ident(n)) from unnest($1::text[]) n)
      order by c.relname`,
    [names],
  );
  const order: Table[] = [];
  for (const waiting = new Set(rows); waiting.size > 0; ) {
    const next = [...waiting].filter(({ references }) => ![...waiting].some(({ name }) => references.includes(name)));
    if (next.length === 0) throw new Error('The foreign keys of the tables are circular.');
    for (const row of next) {
      waiting.delete(row);
      order.push({ name: row.name, columns: row.columns });
    }
  }
  return order;
}

/** The values may be newer than the snapshot, never older. */
export async function readSequences(tx: Queryable, names: readonly string[]): Promise<Sequence[]> {
  const { rows } = await tx.query<Sequence>(
    `select t as table, a.attname::text as column, pg_sequence_last_value(s.name::regclass) as value
       from unnest($1::text[]) t
       join pg_attribute a on a.attrelid = to_regclass(quote_ident(t)) and a.attnum > 0 and not a.attisdropped
      cross join lateral (select pg_get_serial_sequence(quote_ident(t), a.attname) as name) s
      where s.name is not null and pg_sequence_last_value(s.name::regclass) is not null
      order by 1, 2`,
    [names],
  );
  return rows;
}

export async function setSequences(tx: Queryable, counters: readonly Sequence[]): Promise<void> {
  for (const { table, column, value } of counters) {
    await tx.query('select setval(pg_get_serial_sequence(quote_ident($1), $2)::regclass, $3)', [table, column, value]);
  }
}

/** Passes the rows of a table to `take` as gzip parts in COPY format. Returns the number of rows. */
export async function dumpTable(tx: Transaction, table: Table, take: (part: Buffer) => Promise<void>): Promise<number> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const flush = async () => {
    const part = Buffer.concat(chunks);
    chunks = [];
    bytes = 0;
    await take(await promisify(gzip)(part));
  };
  const rows = await tx.copyOut(`copy ${withColumns(table)} to stdout`, async (piece) => {
    chunks.push(piece);
    bytes += piece.length;
    if (bytes >= PART_BYTES) await flush();
  });
  if (bytes > 0) await flush();
  return rows;
}

/** Loads the parts of `dumpTable` into an empty table, without firing triggers. */
export async function loadTable(tx: Transaction, table: Table, parts: AsyncIterable<Buffer>): Promise<number> {
  const rows = async function* () {
    for await (const part of parts) yield await promisify(gunzip)(part, { maxOutputLength: MAX_PART_BYTES });
  };
  await tx.query(`alter table ${quoted(table.name)} disable trigger user`);
  const count = await tx.copyIn(`copy ${withColumns(table)} from stdin`, rows());
  await tx.query(`alter table ${quoted(table.name)} enable trigger user`);
  return count;
}

const PART_BYTES = 8 * 1024 * 1024;
/** A part ends with the row that exceeds its size, and a row of PostgreSQL has at most 1 GiB. */
const MAX_PART_BYTES = PART_BYTES + 2 ** 30;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const withColumns = ({ name, columns }: Table) => `${quoted(name)} (${columns.map(quoted).join(', ')})`;

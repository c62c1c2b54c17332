import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Queryable, Transaction } from '../db.ts';
import type { Migration } from '../migration-files.ts';

/** A table as a backup holds it. */
export interface Table {
  readonly name: string;
  /** Those that are stored; what the database works out by itself is not. */
  readonly columns: readonly string[];
}

/** Where a counter of the database stands. */
export interface Counter {
  readonly table: string;
  readonly column: string;
  readonly value: number;
}

/** The tables and functions that these migrations leave behind, by name: what is ours in a database that others may share. */
export function made(migrations: readonly Pick<Migration, 'sql'>[]): { tables: string[]; functions: string[] } {
  const tables = new Set(['schema_migrations']);
  const functions = new Set<string>();
  const sql = migrations.map((migration) => migration.sql).join('\n');
  for (const [, verb, kind, name, became] of sql.matchAll(STATEMENT)) {
    const names = kind === 'table' ? tables : functions;
    if (verb === 'create') names.add(name!);
    else if (verb === 'drop' || became) names.delete(name!);
    if (became) names.add(became);
  }
  return { tables: [...tables], functions: [...functions] };
}

const STATEMENT =
  /(?:^|;)[ \t]*(create|alter|drop)(?: or replace)?(?: unlogged)? (table|function)(?: if (?:not )?exists)? (\w+)(?:\([^)]*\))?(?: rename to (\w+))?/gm;

/** What is to be known of these tables, those that others refer to first. */
export async function describeTables(tx: Queryable, names: readonly string[]): Promise<Table[]> {
  const { rows } = await tx.query<Table & { needs: string[] }>(
    `select c.relname as name,
            array(select a.attname::text
                    from pg_attribute a
                   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                   order by a.attnum) as columns,
            array(select f.relname::text
                    from pg_constraint k join pg_class f on f.oid = k.confrelid
                   where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as needs
       from pg_class c
      where c.oid = any(select to_regclass(quote_ident(n)) from unnest($1::text[]) n)
      order by c.relname`,
    [names],
  );
  const order: Table[] = [];
  for (const waiting = new Set(rows); waiting.size > 0; ) {
    const next = [...waiting].filter(({ needs }) => ![...waiting].some(({ name }) => needs.includes(name)));
    if (next.length === 0) throw new Error('Tables refer to each other in a circle.');
    for (const row of next) {
      waiting.delete(row);
      order.push({ name: row.name, columns: row.columns });
    }
  }
  return order;
}

/** The counters behind the columns of these tables. They run ahead of a snapshot, never behind it. */
export async function readCounters(tx: Queryable, names: readonly string[]): Promise<Counter[]> {
  const { rows } = await tx.query<Counter>(
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

export async function setCounters(tx: Queryable, counters: readonly Counter[]): Promise<void> {
  for (const { table, column, value } of counters) {
    await tx.query('select setval(pg_get_serial_sequence(quote_ident($1), $2)::regclass, $3)', [table, column, value]);
  }
}

/** Hands the rows of a table to `take` in compressed parts, as COPY writes them; answers how many rows there are. */
export async function dumpTable(tx: Transaction, table: Table, take: (part: Buffer) => Promise<void>): Promise<number> {
  let held: Buffer[] = [];
  let bytes = 0;
  const pass = async () => {
    const part = Buffer.concat(held);
    held = [];
    bytes = 0;
    await take(await promisify(gzip)(part));
  };
  const rows = await tx.copyOut(`copy ${listed(table)} to stdout`, async (piece) => {
    held.push(piece);
    bytes += piece.length;
    if (bytes >= PART_BYTES) await pass();
  });
  if (bytes > 0) await pass();
  return rows;
}

/** Fills an empty table with parts as they were dumped. What the rows would trigger has happened before. */
export async function loadTable(tx: Transaction, table: Table, parts: AsyncIterable<Buffer>): Promise<number> {
  const rows = async function* () {
    for await (const part of parts) yield await promisify(gunzip)(part, { maxOutputLength: LARGEST_PART_BYTES });
  };
  await tx.query(`alter table ${quoted(table.name)} disable trigger user`);
  const count = await tx.copyIn(`copy ${listed(table)} from stdin`, rows());
  await tx.query(`alter table ${quoted(table.name)} enable trigger user`);
  return count;
}

const PART_BYTES = 8 * 1024 * 1024;
/** A part ends with the row that fills it, and PostgreSQL makes no row longer than a gibibyte. */
const LARGEST_PART_BYTES = PART_BYTES + 2 ** 30;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const listed = ({ name, columns }: Table) => `${quoted(name)} (${columns.map(quoted).join(', ')})`;

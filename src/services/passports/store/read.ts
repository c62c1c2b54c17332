import { CLIENT_LIMIT_MS, type Queryable } from '../../../base/db.ts';
import type { Caller, Document, Opened, Status } from '../documents.ts';
import {
  access,
  COLUMNS,
  type DocumentRow,
  isOpened,
  OPENED_COLUMNS,
  type OpenedRow,
  toDocument,
  toOpened,
  VISIBLE,
} from './rows.ts';

const limitMs = CLIENT_LIMIT_MS;

export async function find(db: Queryable, caller: Caller, id: string, strict: boolean): Promise<Document | undefined> {
  const { rows } = await db.query<DocumentRow>(FIND, [id, ...access(caller, strict)]);
  return rows[0] && toDocument(rows[0]);
}

export async function open(
  db: Queryable,
  caller: Caller,
  id: string,
  strict: boolean,
): Promise<Opened | Document | undefined> {
  const { rows } = await db.query<OpenedRow>(OPEN, [id, ...access(caller, strict)]);
  return rows[0] && toOpened(rows[0]);
}

export async function list(
  db: Queryable,
  session: string,
  { status, page, limit }: { status?: Status; page: number; limit: number },
): Promise<{ items: Document[]; total: number }> {
  // One statement, so that the count is of the same moment as the page, and stands also beyond the last one.
  const { rows } = await db.query<{ total: number; items: JsonRow[] }>(status === undefined ? LIST : LIST_OF_STATUS, [
    session,
    limit,
    (page - 1) * limit,
    ...(status === undefined ? [] : [status]),
  ]);
  const { total, items } = rows[0]!;
  return { total, items: items.map((row) => toDocument(dated(row))) };
}

/** A row that came as JSON: its dates are text. */
type JsonRow = Omit<DocumentRow, 'created_at' | 'updated_at'> & { created_at: string; updated_at: string };

const dated = (row: JsonRow): DocumentRow => ({
  ...row,
  created_at: new Date(row.created_at),
  updated_at: new Date(row.updated_at),
});

/** How many extractions are in memory at once while all of them go by. */
const BATCH = 50;

/** By key, not by cursor: a slow reader then holds no transaction open. */
export async function* each(
  db: Queryable,
  which: { session?: string; from?: Date; to?: Date },
): AsyncGenerator<Opened, void, undefined> {
  // Before everything: PostgreSQL's own word for it.
  let after: { at: Date | string; id: string } = { at: '-infinity', id: '' };
  for (;;) {
    const { rows }: { rows: OpenedRow[] } = await db.query<OpenedRow>(
      which.session === undefined ? EACH : EACH_OF_SESSION,
      [
        ...[after.at, after.id, which.from ?? '-infinity', which.to ?? 'infinity', BATCH],
        ...(which.session === undefined ? [] : [which.session]),
      ],
    );
    for (const row of rows) {
      const document = toOpened(row);
      if (isOpened(document)) yield document;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = { at: last.created_at, id: last.id };
  }
}

const FIND = {
  name: 'passport-find',
  limitMs,
  text: `select ${COLUMNS} from passport_documents d join tasks t on t.id = d.id where d.id = $1 and ${VISIBLE}`,
};

const OPEN = {
  name: 'passport-open',
  limitMs,
  text: `select ${OPENED_COLUMNS} from passport_documents d join tasks t on t.id = d.id where d.id = $1 and ${VISIBLE}`,
};

const listed = (name: string, mine: string) => ({
  name,
  limitMs,
  text: `
    with mine as not materialized (${mine}),
    page as materialized (
      select ${COLUMNS}
        from (select id, created_at from mine order by created_at desc, id desc limit $2 offset $3) as m
        join passport_documents d on d.id = m.id
        join tasks t on t.id = d.id
    )
    select (select count(*) from mine) as total,
           (select coalesce(json_agg(page order by page.created_at desc, page.id desc), '[]') from page) as items`,
});

// A key's own session may hold a hundred thousand documents: without a filter, counting them asks no task.
const LIST = listed('passport-list', 'select id, created_at from passport_documents where session = $1');

const LIST_OF_STATUS = listed(
  'passport-list-status',
  `select d.id, d.created_at
     from passport_documents d
     join tasks t on t.id = d.id
    where d.session = $1 and passport_status(t.status, t.error_code) = $4`,
);

// Nothing stands beside the place that the last batch came to, so that each begins in the index where the last one ended.
const eachOf = (name: string, whose: string) => ({
  name,
  text: `
    select ${OPENED_COLUMNS}
      from passport_documents d
      join tasks t on t.id = d.id
     where (d.created_at, d.id) > ($1::timestamptz, $2::text)
       and d.created_at >= $3::timestamptz and d.created_at < $4::timestamptz
       and t.status = 'done' ${whose}
     order by d.created_at, d.id
     limit $5`,
});

const EACH = eachOf('passport-each', '');
const EACH_OF_SESSION = eachOf('passport-each-session', 'and d.session = $6');

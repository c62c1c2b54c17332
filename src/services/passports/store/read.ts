import { CLIENT_LIMIT_MS, type Queryable } from '../../../base/db.ts';
import { type Caller, type Document, isCompleted, type Status } from '../documents.ts';
import {
  ACCESS_CONDITION,
  accessParams,
  COLUMNS,
  COMPLETED_COLUMNS,
  type CompletedRow,
  type DocumentRow,
  SERVICE,
  toDocument,
  toDocumentWithResult,
} from './rows.ts';
import { STATUS_CONDITION, statusParams } from './status.ts';

const limitMs = CLIENT_LIMIT_MS;

export async function find(db: Queryable, caller: Caller, id: string, strict: boolean): Promise<Document | undefined> {
  const { rows } = await db.query<DocumentRow>(FIND, [id, ...accessParams(caller, strict)]);
  return rows[0] && toDocument(rows[0]);
}

export async function findWithResult(db: Queryable, caller: Caller, id: string, strict: boolean) {
  const { rows } = await db.query<CompletedRow>(OPEN, [id, ...accessParams(caller, strict)]);
  return rows[0] && toDocumentWithResult(rows[0]);
}

/** Omits unknown documents and those without access. */
export async function findAllWithResult(db: Queryable, caller: Caller, ids: readonly string[], strict: boolean) {
  const { rows } = await db.query<CompletedRow>(OPEN_ALL, [ids, ...accessParams(caller, strict)]);
  return rows.map(toDocumentWithResult);
}

interface GroupFilter {
  readonly project?: string | undefined;
  readonly tag?: string | undefined;
}

export async function list(
  db: Queryable,
  session: string,
  { status, project, tag, page, limit }: GroupFilter & { status?: Status | undefined; page: number; limit: number },
): Promise<{ items: Document[]; total: number }> {
  // One statement, so that count and page are consistent. The dates are JSON text.
  const { rows } = await db.query<{ total: number; items: DocumentRow[] }>(
    listStatement(status !== undefined, project !== undefined || tag !== undefined),
    [
      ...[session, limit, (page - 1) * limit],
      ...(status === undefined ? [] : statusParams(status)),
      ...(project === undefined && tag === undefined ? [] : [project ?? null, tag ?? null]),
    ],
  );
  const { total, items } = rows[0]!;
  const toDates = ({ createdAt, updatedAt }: DocumentRow) => ({
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  });
  return { total, items: items.map((row) => toDocument({ ...row, ...toDates(row) })) };
}

/** Number of extractions in memory. */
const BATCH = 50;

/** Pages by key, so that a slow reader keeps no transaction open. */
export async function* streamCompleted(
  db: Queryable,
  filter: GroupFilter & { session?: string; from?: Date; to?: Date },
) {
  let after: { at: Date | string; id: string } = { at: '-infinity', id: '' };
  for (;;) {
    const { rows }: { rows: CompletedRow[] } = await db.query<CompletedRow>(
      filter.session === undefined ? EACH : EACH_OF_SESSION,
      [
        ...[after.at, after.id, filter.from ?? '-infinity', filter.to ?? 'infinity', BATCH],
        ...[filter.project ?? null, filter.tag ?? null],
        ...(filter.session === undefined ? [] : [filter.session]),
      ],
    );
    for (const row of rows) {
      const document = toDocumentWithResult(row);
      if (isCompleted(document)) yield document;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = { at: last.createdAt, id: last.id };
  }
}

const FIND = {
  name: 'passport-find',
  limitMs,
  text: `select ${COLUMNS} from passport_documents d join tasks_read_only t on t.id = d.id where d.id = $1 and ${ACCESS_CONDITION}`,
};

const openQuery = (name: string, condition: string) => ({
  name,
  limitMs,
  text: `select ${COMPLETED_COLUMNS} from passport_documents d join tasks_read_only t on t.id = d.id where ${condition} and ${ACCESS_CONDITION}`,
});

const OPEN = openQuery('passport-open', 'd.id = $1');
const OPEN_ALL = openQuery('passport-open-all', 'd.id = any($1::text[])');

const listQuery = (name: string, matching: string) => ({
  name,
  limitMs,
  text: `
    with matching as not materialized (${matching}),
    page as materialized (
      select ${COLUMNS}
        from (select id, created_at from matching order by created_at desc, id desc limit $2 offset $3) as m
        join passport_documents d on d.id = m.id
        join tasks_read_only t on t.id = d.id
    )
    select (select count(*) from matching) as total,
           (select coalesce(json_agg(page order by page."createdAt" desc, page.id desc), '[]') from page) as items`,
});

/** SQL: documents `d` of a project and with a tag; null: any. */
const groupCondition = (project: string, tag: string) =>
  `(${project}::text is null or d.project = ${project}) and (${tag}::text is null or ${tag} = any(d.tags))`;

/** Without filters the count needs no join and only an index: a key's session may hold 100 000 documents. */
function listStatement(ofStatus: boolean, ofGroup: boolean) {
  const join = ofStatus ? 'join tasks_read_only t on t.id = d.id' : '';
  const status = ofStatus ? `and ${STATUS_CONDITION}` : '';
  const group = ofGroup ? `and ${ofStatus ? groupCondition('$7', '$8') : groupCondition('$4', '$5')}` : '';
  return listQuery(
    `passport-list${ofStatus ? '-status' : ''}${ofGroup ? '-group' : ''}`,
    `select d.id, d.created_at from passport_documents d ${join} where d.session = $1 ${status} ${group}`,
  );
}

// The row comparison lets each batch start in the index where the last one ended.
const eachQuery = (name: string, condition: string) => ({
  name,
  text: `
    select ${COMPLETED_COLUMNS}
      from passport_documents d
      join tasks_read_only t on t.id = d.id
     where (d.created_at, d.id) > ($1::timestamptz, $2::text)
       and d.created_at >= $3::timestamptz and d.created_at < $4::timestamptz
       and t.status = 'done' and ${groupCondition('$6', '$7')} ${condition}
     order by d.created_at, d.id
     limit $5`,
});

// Not those of sandbox keys.
const EACH = eachQuery('passport-each', `and t.service = '${SERVICE}'`);
const EACH_OF_SESSION = eachQuery('passport-each-session', 'and d.session = $8');

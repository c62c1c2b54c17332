import type { Db, Queryable } from '../../../base/db.ts';
import type { Admission } from '../../../tasks/admission.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import type { Caller, Document, NewDocument, Within } from '../documents.ts';
import { checkQuota } from './quota.ts';
import { COLUMNS, type DocumentRow, SERVICE, toDocument } from './rows.ts';
import { uuids } from './uuid.ts';

/** Nobody is told it: what a document takes depends on its pages. */
const ESTIMATE_SECONDS = 60;

/** What the worker finds in a task. */
export interface TaskInput {
  readonly file_key: string;
}

/**
 * Documents and their tasks in one transaction, which `within` takes part in. Those whose content is known wait for no worker,
 * and find room in a full queue.
 */
export async function create(
  {
    db,
    tasks,
    admission,
    quotaBytes,
  }: { db: Db; tasks: TaskStore; admission?: Admission | undefined; quotaBytes: number },
  caller: Caller,
  documents: readonly NewDocument[],
  request: { id?: string; traceparent?: string } = {},
  within?: Within,
): Promise<Document[]> {
  const ids = uuids(documents.length);
  const moreBytes = documents.reduce((sum, { sizeBytes, replacesBytes = 0 }) => sum + sizeBytes - replacesBytes, 0);
  let entered: ReturnType<Admission['enter']>;
  const run = db.transaction(async (tx) => {
    await checkQuota(tx, caller, moreBytes, quotaBytes);
    const known = await finished(
      tx,
      documents.map(({ cacheKey }) => cacheKey),
    );
    const born = documents.map((document, i) => ({ ...document, id: ids[i]!, source: known.get(document.cacheKey) }));
    const waiting = born.filter(({ source }) => !source).length;
    if (admission && waiting > 0) {
      entered = admission.enter(SERVICE, 'realtime', waiting);
      if (!entered) throw admission.refusal(SERVICE);
    }
    await tasks.acceptWithin(
      tx,
      born.map(({ id, fileKey, source }) => ({
        id,
        service: SERVICE,
        principal: caller.session,
        priority: 'realtime',
        input: { file_key: source?.file_key ?? fileKey } satisfies TaskInput,
        estimateSeconds: ESTIMATE_SECONDS,
        ...(request.id !== undefined && { requestId: request.id }),
        ...(request.traceparent !== undefined && { traceparent: request.traceparent }),
        ...(source && { resultOf: source.id }),
      })),
    );
    await tx.query(INSERT, [
      caller.session,
      caller.key ?? null,
      ids,
      born.map(({ filename }) => filename),
      born.map(({ cacheKey }) => cacheKey),
      born.map(({ source }) => source !== undefined),
      born.map(({ fileKey, source }) => source?.file_key ?? fileKey),
      born.map(({ sizeBytes, source }) => source?.size_bytes ?? sizeBytes),
    ]);
    const superfluous = born.filter(({ fileKey, source }) => source && source.file_key !== fileKey);
    if (superfluous.length > 0) await tx.query(DISCARD, [superfluous.map(({ fileKey }) => fileKey)]);
    const { rows } = await tx.query<DocumentRow>(READ, [ids]);
    const created = rows.map(toDocument);
    await within?.(tx, created);
    return created;
  });
  void run.then(
    () => entered?.(true),
    () => entered?.(false),
  );
  return run;
}

interface Source {
  cache_key: string;
  id: string;
  file_key: string;
  size_bytes: number;
}

/** A finished document for each content that there is one of, held so that nobody removes it before this transaction ends. */
async function finished(tx: Queryable, cacheKeys: string[]): Promise<Map<string, Source>> {
  const { rows } = await tx.query<Source>(FINISHED, [cacheKeys]);
  if (rows.length === 0) return new Map();
  const held = await tx.query<{ id: string }>(HOLD, [rows.map(({ id }) => id)]);
  const still = new Set(held.rows.map(({ id }) => id));
  return new Map(rows.filter(({ id }) => still.has(id)).map((source) => [source.cache_key, source]));
}

// Any one will do, and the first that is met ends the search: of a document that comes again and again there are many. What
// was done while the language model was away is done again: a bad hour must not stay for ever.
const FINISHED = {
  name: 'passport-finished',
  text: `
    select f.*
      from (select distinct cache_key from unnest($1::text[]) as asked (cache_key)) as asked
     cross join lateral (
       select d.cache_key, d.id, d.file_key, d.size_bytes
         from passport_documents d
         join tasks t on t.id = d.id
        where d.cache_key = asked.cache_key and t.status = 'done'
          and not exists (select from json_array_elements(t.result -> 'warnings') as w where w ->> 'code' like 'LLM\\_%')
        limit 1
     ) as f`,
};

// Everybody locks tasks in the order of their ids, then files in the order of their keys: so never in a circle.
const HOLD = `select id from tasks where id = any($1::text[]) and status = 'done' order by id for key share`;

const INSERT = {
  name: 'passport-insert',
  text: `
    insert into passport_documents (id, session, key_name, filename, cache_key, cached, file_key, size_bytes)
    select id, $1, $2, filename, cache_key, cached, file_key, size_bytes
      from unnest($3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::bigint[])
           as d (id, filename, cache_key, cached, file_key, size_bytes)
     order by file_key, id`,
};

const DISCARD = 'insert into passport_trash (key) select unnest($1::text[]) on conflict do nothing';

const READ = {
  name: 'passport-read-new',
  text: `select ${COLUMNS} from passport_documents d join tasks t on t.id = d.id where d.id = any($1::text[]) order by d.id`,
};

import type { Db, Transaction } from '../../../base/db.ts';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import type { Admission } from '../../../tasks/admission.ts';
import { lockCompleted } from '../../../tasks/locks.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import type { Priority } from '../../../tasks/task.ts';
import { type Grouping, withGrouping } from '../../shared/grouping.ts';
import { sandboxInput } from '../../shared/sandbox/accept.ts';
import { queueOf, SANDBOX_DEADLINE_SECONDS, sandboxQueue } from '../../shared/sandbox/queue.ts';
import type { Caller, Document, NewDocument, TransactionHook } from '../documents.ts';
import { sandbox } from '../sandbox.ts';
import { checkQuota } from './quota.ts';
import { COLUMNS, clientOf, type DocumentRow, SERVICE, toDocument } from './rows.ts';
import { createUuids } from './uuid.ts';

export interface TaskInput {
  readonly file_key: string;
  /** The name of the documented input, for a sandbox key. */
  readonly sandbox?: string;
}

/** One transaction, together with `within`. Documents with a cached result bypass the queue and its limit. */
export async function create(
  deps: { db: Db; tasks: TaskStore; admission?: Admission | undefined; quotaBytes: number },
  caller: Caller,
  documents: readonly NewDocument[],
  request: { id?: string; traceparent?: string; grouping?: Grouping; priority?: Priority } = {},
  within?: TransactionHook,
): Promise<Document[]> {
  const { db, tasks, admission, quotaBytes } = deps;
  const { priority = 'realtime' } = request;
  const client = clientOf(caller);
  const owner = admission?.ownerOf(SERVICE, client) ?? client;
  const sandboxNames = documents.map(({ filename }) => sandboxInput(sandbox, caller.key, 'files', filename));
  const isSandbox = isSandboxPrincipal(caller.key);
  const ids = createUuids(documents.length);
  const moreBytes = documents.reduce((sum, { sizeBytes, replacesBytes = 0 }) => sum + sizeBytes - replacesBytes, 0);
  // Batches are accepted completely or not at all.
  const neededOf = (waiting: number) => (priority === 'batch' ? waiting : 1);
  if (!isSandbox) await admission?.recountIfFull(SERVICE, owner, neededOf(documents.length));
  let leaveQueue: ReturnType<Admission['reserve']>;
  const run = db.transaction(async (tx) => {
    await checkQuota(tx, caller, moreBytes, quotaBytes);
    const cacheKeys = documents.map(({ cacheKey }, i) => (isSandbox ? sandboxQueue(ids[i]!) : cacheKey));
    const sources = await findCompleted(tx, cacheKeys, caller);
    const planned = documents.map((document, i) => ({
      ...document,
      id: ids[i]!,
      cacheKey: cacheKeys[i]!,
      sandboxName: sandboxNames[i],
      source: sources.get(cacheKeys[i]!),
    }));
    const waiting = planned.filter(({ source }) => !source).length;
    if (admission && waiting > 0 && !isSandbox) {
      const needed = neededOf(waiting);
      leaveQueue = admission.reserve(SERVICE, priority, owner, waiting, needed);
      if (!leaveQueue) throw admission.queueFullError(SERVICE, owner, needed);
    }
    await tasks.acceptWithin(
      tx,
      planned.map(({ id, fileKey, source, sandboxName }) => ({
        id,
        service: queueOf(SERVICE, caller.key),
        principal: caller.session,
        owner,
        priority,
        // The items of a batch show the grouping of their tasks.
        input: withGrouping(
          {
            file_key: source?.fileKey ?? fileKey,
            ...(sandboxName !== undefined && { sandbox: sandboxName }),
          } satisfies TaskInput,
          request.grouping,
        ),
        estimateSeconds: 0,
        ...(sandboxName !== undefined && { deadlineSeconds: SANDBOX_DEADLINE_SECONDS }),
        ...omitUndefined({ requestId: request.id, traceparent: request.traceparent, resultOf: source?.id }),
      })),
    );
    await tx.query(INSERT, [
      caller.session,
      caller.key ?? null,
      ids,
      planned.map(({ filename }) => filename),
      planned.map(({ cacheKey }) => cacheKey),
      planned.map(({ source }) => source !== undefined),
      planned.map(({ fileKey, source }) => source?.fileKey ?? fileKey),
      planned.map(({ sizeBytes, source }) => source?.sizeBytes ?? sizeBytes),
      request.grouping?.project ?? null,
      request.grouping?.tags ?? null,
    ]);
    const unneeded = planned.filter(({ fileKey, source }) => source && source.fileKey !== fileKey);
    if (unneeded.length > 0) await tx.query(DISCARD, [unneeded.map(({ fileKey }) => fileKey)]);
    const { rows } = await tx.query<DocumentRow>(READ, [ids]);
    const created = rows.map(toDocument);
    await within?.(tx, created);
    return created;
  });
  void run.then(
    () => leaveQueue?.(true),
    () => leaveQueue?.(false),
  );
  return run;
}

type Source = Pick<Document, 'id' | 'fileKey' | 'sizeBytes'> & { cacheKey: string };

/** Locked against deletion until this transaction ends. */
async function findCompleted(
  tx: Transaction,
  cacheKeys: string[],
  { session, key }: Caller,
): Promise<Map<string, Source>> {
  const { rows } = await tx.query<Source>(FIND_COMPLETED, [cacheKeys, session, key ?? null]);
  if (rows.length === 0) return new Map();
  const ids = await lockCompleted(
    tx,
    rows.map(({ id }) => id),
  );
  return new Map(rows.filter(({ id }) => ids.has(id)).map((source) => [source.cacheKey, source]));
}

// Any match will do. Results without the language model's help are not reused, so that an outage has no lasting effect.
// Results that used a template are reused only for its owner, and an owner with templates reuses only own results that are
// newer than the last change of the templates.
const FIND_COMPLETED = {
  name: 'passport-finished',
  text: `
    with own as (
      select passport_principal($2, $3) as owner
    ),
    templates as (
      select (select changed_at from passport_template_owners where owner = own.owner) as changed_at,
             exists (select from passport_corrections where owner = own.owner) as is_pending
        from own
    )
    select f.*
      from templates, own, (select distinct cache_key from unnest($1::text[]) as wanted (cache_key)) as wanted
     cross join lateral (
       select d.cache_key as "cacheKey", d.id, d.file_key as "fileKey", d.size_bytes as "sizeBytes"
         from passport_documents d
         join tasks_read_only t on t.id = d.id
        where d.cache_key = wanted.cache_key and t.status = 'done'
          and not exists (select from json_array_elements(t.result -> 'warnings') as w where w ->> 'code' like 'LLM\\_%')
          and not templates.is_pending
          and (passport_principal(d.session, d.key_name) = own.owner
               or templates.changed_at is null and t.result -> 'engine' -> 'template' is null)
          and (templates.changed_at is null or t.started_at > templates.changed_at)
        limit 1
     ) as f`,
};

// Lock order: tasks by id, then files by key.
const INSERT = {
  name: 'passport-insert',
  text: `
    insert into passport_documents (id, session, key_name, filename, cache_key, cached, file_key, size_bytes, project, tags)
    select id, $1, $2, filename, cache_key, cached, file_key, size_bytes, $9, $10::text[]
      from unnest($3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::bigint[])
           as d (id, filename, cache_key, cached, file_key, size_bytes)
     order by file_key, id`,
};

const DISCARD = 'insert into passport_files_to_delete (key) select unnest($1::text[]) on conflict do nothing';

const READ = {
  name: 'passport-read-new',
  text: `select ${COLUMNS} from passport_documents d join tasks_read_only t on t.id = d.id where d.id = any($1::text[]) order by d.id`,
};

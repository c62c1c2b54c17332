import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import type { Admission } from '../../../tasks/admission.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import { queueOf } from '../../shared/sandbox/queue.ts';
import { type Caller, type CompletedDocument, type HistoryEntry, isCompleted } from '../documents.ts';
import { isSameValue, type Value } from '../extraction.ts';
import { PERMANENT_ERRORS } from '../failures.ts';
import { recordQuality } from './quality.ts';
import { find, findWithResult } from './read.ts';
import { ACCESS_CONDITION, accessParams, clientOf, SERVICE } from './rows.ts';

const limitMs = CLIENT_LIMIT_MS;

interface ChangeOptions {
  readonly strict: boolean;
  readonly ifVersion?: number;
}

export const update = (
  db: Db,
  caller: Caller,
  id: string,
  edits: readonly { key: string; value: Value }[],
  options: ChangeOptions,
) =>
  changeCompleted(db, caller, id, options, async (tx, document, actor) => {
    const changes = changesOf(document, edits);
    if (changes.length === 0) return false;
    await tx.query(EDIT, [
      id,
      changes.map(({ key }) => key),
      changes.map(({ oldValue }) => JSON.stringify(oldValue)),
      changes.map(({ newValue }) => JSON.stringify(newValue)),
      actor,
    ]);
    await tx.query(DELETE_OLD_EDITS, [id, MAX_HISTORY_BYTES]);
    return true;
  });

/** Confirms the current version; a template of it that has unsure values learns it again. A repetition changes nothing. */
export const confirm = (db: Db, caller: Caller, id: string, options: ChangeOptions) =>
  changeCompleted(db, caller, id, options, async (tx, { version, confirmation }, actor) => {
    if (confirmation?.version === version) return false;
    await tx.query(CONFIRM, [id, version, actor]);
    return true;
  });

/** Serializes the changes of one document. `change` returns whether it has changed the document. */
function changeCompleted(
  db: Db,
  caller: Caller,
  id: string,
  { strict, ifVersion }: ChangeOptions,
  change: (tx: Queryable, document: CompletedDocument, actor: string) => Promise<boolean>,
): Promise<CompletedDocument | 'not-editable' | 'conflict' | undefined> {
  return db.transaction(async (tx) => {
    await tx.query(LOCK, [id]);
    const before = await findWithResult(tx, caller, id, strict);
    if (!before) return undefined;
    if (!isCompleted(before)) return 'not-editable';
    if (ifVersion !== undefined && ifVersion !== before.version) return 'conflict';
    if (!(await change(tx, before, caller.key ?? 'session'))) return before;
    const after = await findWithResult(tx, caller, id, strict);
    if (!after || !isCompleted(after)) return undefined;
    await recordQuality(tx, before, after);
    return after;
  });
}

/** The last value of a key counts. */
function changesOf(
  { extraction, edits: previousEdits }: CompletedDocument,
  edits: readonly { key: string; value: Value }[],
) {
  const current = new Map(previousEdits.map(({ key, value }) => [key, value]));
  const requested = new Map(edits.map(({ key, value }) => [key, value]));
  return [...requested]
    .map(([key, newValue]) => ({
      key,
      newValue,
      oldValue: current.get(key) ?? valueIn(extraction, key, current.has(key)),
    }))
    .filter(({ oldValue, newValue }) => !isSameValue(oldValue, newValue));
}

const valueIn = ({ fields }: CompletedDocument['extraction'], key: string, edited: boolean): Value =>
  !edited && Object.hasOwn(fields, key) ? fields[key]!.value : null;

export async function history(db: Queryable, caller: Caller, id: string, strict: boolean) {
  if (!(await find(db, caller, id, strict))) return undefined;
  const { rows } = await db.query<HistoryEntry>(HISTORY, [id]);
  return rows;
}

export async function rename(db: Queryable, caller: Caller, id: string, filename: string, strict: boolean) {
  const { rowCount } = await db.query(RENAME, [id, ...accessParams(caller, strict), filename]);
  return rowCount > 0 ? find(db, caller, id, strict) : undefined;
}

type Deps = { db: Db; tasks: TaskStore };

/** Throws the error for a full queue. */
export async function retry(
  { db, tasks, admission }: Deps & { admission: Admission | undefined },
  caller: Caller,
  id: string,
  strict: boolean,
) {
  // Access to a document never changes, so it can be checked first.
  if (!(await find(db, caller, id, strict))) return undefined;
  const leaveQueue = isSandboxPrincipal(caller.key) ? undefined : await enterQueue(admission, caller);
  let isQueued = false;
  try {
    isQueued = await tasks.requeue(queueOf(SERVICE, caller.key), id, PERMANENT_ERRORS, (tx) => touch(tx, [id]));
  } finally {
    leaveQueue?.(isQueued);
  }
  const document = await find(db, caller, id, strict);
  return isQueued ? document : document && ('not-retryable' as const);
}

async function enterQueue(admission: Admission | undefined, caller: Caller) {
  if (!admission) return undefined;
  const owner = admission.ownerOf(SERVICE, clientOf(caller));
  await admission.recountIfFull(SERVICE, owner);
  const leaveQueue = admission.reserve(SERVICE, 'realtime', owner);
  if (!leaveQueue) throw admission.queueFullError(SERVICE, owner);
  return leaveQueue;
}

/** After their tasks were queued again. */
export async function touch(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query('update passport_documents set changed_at = clock_timestamp() where id = any($1::text[])', [ids]);
}

/** Deletes a document; its row is deleted with that of the task. */
export function remove({ db, tasks }: Deps, caller: Caller, id: string, strict: boolean) {
  return db.transaction(async (tx) => {
    if (!(await find(tx, caller, id, strict))) return false;
    return (await tasks.remove(queueOf(SERVICE, caller.key), [id], tx)).length > 0;
  });
}

// A separate statement, so that the next one sees what the previous lock holder committed.
const LOCK = 'select from passport_documents where id = $1 for no key update';

const EDIT = {
  name: 'passport-edit',
  limitMs,
  text: `
    with edits as (
      insert into passport_edits (document, key, old_value, new_value, actor)
      select $1, key, old_value::json, new_value::json, $5
        from unnest($2::text[], $3::text[], $4::text[]) with ordinality as e (key, old_value, new_value, place)
       order by place
    )
    update passport_documents set version = version + 1, changed_at = clock_timestamp() where id = $1`,
};

/** Stored earlier values of a document. */
const MAX_HISTORY_BYTES = 16 * 2 ** 20;

// The latest row of a key is its current value.
const DELETE_OLD_EDITS = {
  name: 'passport-edits-delete',
  limitMs,
  text: `
    delete from passport_edits e
     using (select serial,
                   sum(pg_column_size(old_value) + pg_column_size(new_value)) over (order by serial desc) as total,
                   lead(serial) over (partition by key order by serial) as next
              from passport_edits
             where document = $1) as t
     where e.document = $1 and e.serial = t.serial and t.total > $2 and t.next is not null`,
};

const CONFIRM = {
  name: 'passport-confirm',
  limitMs,
  text: `
    with confirmed as (
      insert into passport_confirmations (document, version, actor) values ($1, $2, $3)
    ),
    taught as (
      insert into passport_corrections (document, owner)
      select id, passport_principal(session, key_name) from passport_documents d
       where id = $1
         and (exists (select from passport_corrections c where c.document = d.id)
              or exists (select from passport_lessons l
                          where l.document = d.id and l.lesson::text like '%"doubtful":true%'))
          on conflict (document) do update set edits = passport_corrections.edits + 1
    )
    update passport_documents set changed_at = clock_timestamp() where id = $1`,
};

const HISTORY_LENGTH = 1000;
const HISTORY_BYTES = 4 * 2 ** 20;

const HISTORY = {
  name: 'passport-history',
  limitMs,
  text: `
    select at, actor, key, "from", "to"
      from (select *, sum(octet_length("from"::text) + octet_length("to"::text)) over (order by serial desc) as total,
                   row_number() over (order by serial desc) as place
              from (select at, actor, key, old_value as "from", new_value as "to", serial
                      from passport_edits
                     where document = $1
                     order by serial desc
                     limit ${HISTORY_LENGTH}) as latest) as latest
     where total <= ${HISTORY_BYTES} or place = 1
     order by serial`,
};

const RENAME = {
  name: 'passport-rename',
  limitMs,
  text: `
    update passport_documents d
       set filename = $5, changed_at = clock_timestamp()
     where d.id = $1 and ${ACCESS_CONDITION}`,
};

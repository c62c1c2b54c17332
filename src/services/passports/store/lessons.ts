import { CLIENT_LIMIT_MS, type Db, type Queryable, type Transaction } from '../../../base/db.ts';
import type { JsonValue } from '../../../base/json.ts';
import { type CompletedDocument, isCompleted } from '../documents.ts';
import { COMPLETED_COLUMNS, type CompletedRow, toDocumentWithResult } from './rows.ts';
import { createUuids } from './uuid.ts';

/** Templates per owner; a further form replaces the disabled template that was not used for the longest time. */
export const MAX_TEMPLATES = 200;
/** Corrections per template; a further one replaces the oldest. */
export const MAX_LESSONS = 8;
/** Templates that share the most words with a document. */
const MAX_CANDIDATES = 5;
/** Share of a form's words that a document must have for its templates to be loaded. */
const MIN_SHARED = 0.4;

export interface StoredTemplate {
  readonly id: string;
  readonly lessons: readonly StoredLesson[];
}

export interface StoredLesson {
  readonly document: string;
  readonly lesson: JsonValue;
  /** Words of the lesson, by index, that later documents do not have. */
  readonly dropped: readonly number[];
}

export interface CorrectedDocument {
  readonly document: CompletedDocument;
  readonly edits: string;
  /** Of the stored words; null for documents from before templates. */
  readonly readingKey: string | null;
}

export interface NewLesson {
  readonly document: string;
  readonly lesson: JsonValue;
  readonly hashes: readonly number[];
}

/** The owner of a document, whether corrections of theirs are waiting, and whether they have enabled templates. */
export async function findOwner(db: Queryable, document: string): Promise<Owner | undefined> {
  return (await db.query<Owner>(OWNER, [document])).rows[0];
}

interface Owner {
  readonly owner: string;
  readonly isWaiting: boolean;
  readonly hasTemplates: boolean;
}

/** An owner whose corrections are waiting, the oldest first. */
export async function findWaitingOwner(db: Queryable): Promise<string | undefined> {
  const { rows } = await db.query<{ owner: string }>(
    'select owner from passport_corrections order by added_at limit 1',
  );
  return rows[0]?.owner;
}

/** Enabled templates of an owner that share words with a document; with `all`, disabled ones too. */
export async function findCandidates(
  db: Queryable,
  owner: string,
  hashes: readonly number[],
  { all, except }: { all: boolean; except?: string } = { all: false },
): Promise<StoredTemplate[]> {
  const { rows } = await db.query<StoredLesson & { id: string }>(CANDIDATES, [
    ...[owner, hashes, all, except ?? '', MIN_SHARED, MAX_CANDIDATES],
  ]);
  return [...new Set(rows.map(({ id }) => id))].map((id) => ({
    id,
    lessons: rows
      .filter((row) => row.id === id)
      .map(({ document, lesson, dropped }) => ({ document, lesson, dropped })),
  }));
}

export async function recordUse(db: Queryable, template: string): Promise<void> {
  await db.query('update passport_templates set used_at = now(), uses = uses + 1 where id = $1', [template]);
}

/** First half of an advisory lock key, unique in this product. */
const LESSONS_LOCK = 1_180_643_925;

/** One process at a time learns for an owner. Edits do not wait for it. */
export function withOwner<Result>(db: Db, owner: string, run: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return db.transaction(
    async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [LESSONS_LOCK, owner]);
      return run(tx);
    },
    { statementTimeoutMs: 60_000 },
  );
}

export async function nextCorrected(tx: Queryable, owner: string): Promise<CorrectedDocument | undefined> {
  const { rows } = await tx.query<CompletedRow & { pendingEdits: string; readingKey: string | null }>(NEXT, [owner]);
  const row = rows[0];
  if (!row) return undefined;
  const { pendingEdits: edits, readingKey, ...completed } = row;
  const document = toDocumentWithResult(completed);
  return isCompleted(document) ? { document, edits, readingKey } : undefined;
}

/** Unless the document was edited again meanwhile. */
export async function forget(tx: Queryable, document: string, edits: string): Promise<void> {
  await tx.query('delete from passport_corrections where document = $1 and edits = $2', [document, edits]);
}

/** Replaces what the document taught before; without `lesson`, only removes it. */
export async function saveLesson(
  tx: Queryable,
  owner: string,
  { document, lesson, template, dropped }: SavedLesson,
): Promise<'saved' | 'too-many' | 'removed'> {
  const { rows } = await tx.query<{ template: string }>(
    'delete from passport_lessons where document = $1 returning template',
    [document],
  );
  const previous = rows[0]?.template;
  const target = lesson && (previous ?? template ?? (await createTemplate(tx, owner)));
  if (lesson && target) {
    await tx.query(INSERT_LESSON, [document, target, JSON.stringify(lesson.lesson), lesson.hashes]);
    for (const one of dropped) await tx.query(DROP_WORDS, [one.document, document, one.words, one.hashes]);
    await tx.query(DELETE_OLDEST, [target, MAX_LESSONS]);
    await tx.query('update passport_templates set changed_at = clock_timestamp() where id = $1', [target]);
  }
  if (previous) await tx.query(DELETE_EMPTY, [previous]);
  return target ? 'saved' : lesson ? 'too-many' : 'removed';
}

export interface SavedLesson {
  readonly document: string;
  readonly lesson: NewLesson | undefined;
  /** The template that the document matches; a new one is created without it. */
  readonly template: string | undefined;
  readonly dropped: readonly DroppedWords[];
}

/** Words of another lesson of the template that the document does not have. */
export interface DroppedWords {
  /** Of the other lesson. */
  readonly document: string;
  readonly words: readonly number[];
  readonly hashes: readonly number[];
}

/** The name of a template that nothing has renamed. */
export const DEFAULT_NAME = /^Form ([0-9]{1,6})$/;

async function createTemplate(tx: Queryable, owner: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ count: number; highest: number }>(COUNT, [owner]);
  const { count, highest } = rows[0]!;
  if (count >= MAX_TEMPLATES && (await tx.query(EVICT, [owner])).rowCount === 0) return undefined;
  const [id] = createUuids(1);
  await tx.query('insert into passport_templates (id, owner, name) values ($1, $2, $3)', [
    id,
    owner,
    `Form ${highest + 1}`,
  ]);
  return id;
}

const OWNER = {
  name: 'passport-owner',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select owner,
           exists (select from passport_corrections c where c.owner = o.owner) as "isWaiting",
           exists (select from passport_templates t where t.owner = o.owner and t.enabled) as "hasTemplates"
      from (select passport_principal(session, key_name) as owner from passport_documents where id = $1) as o`,
};

const CANDIDATES = {
  name: 'passport-template-candidates',
  text: `
    with words as (
      select distinct hash from unnest($2::integer[]) as w (hash)
    ),
    lessons as (
      select l.template, l.document, l.hashes
        from passport_lessons l
        join passport_templates t on t.id = l.template
       where t.owner = $1 and (t.enabled or $3::boolean) and l.document <> $4
    ),
    dropped as (
      select d.lesson, h.hash
        from lessons
        join passport_dropped_words d on d.lesson = lessons.document and d.dropped_by <> $4
       cross join unnest(d.hashes) as h (hash)
    ),
    shared as (
      select lessons.template, lessons.document, count(words.hash)::float / count(*) as share
        from lessons
       cross join unnest(lessons.hashes) as h (hash)
        left join words using (hash)
       where not exists (select from dropped where dropped.lesson = lessons.document and dropped.hash = h.hash)
       group by lessons.template, lessons.document
    ),
    best as (
      select template, max(share) as share
        from shared
       group by template
      having max(share) >= $5
       order by 2 desc, 1
       limit $6
    )
    select l.template as id, l.document, l.lesson,
           array(select unnest(d.words) from passport_dropped_words d
                  where d.lesson = l.document and d.dropped_by <> $4) as dropped
      from best
      join passport_lessons l on l.template = best.template and l.document <> $4
     order by best.share desc, l.template, l.learned_at desc`,
};

const NEXT = {
  name: 'passport-next-correction',
  text: `
    select ${COMPLETED_COLUMNS}, c.edits as "pendingEdits",
           (select r.key from passport_readings r where r.file_key = d.file_key limit 1) as "readingKey"
      from passport_corrections c
      join passport_documents d on d.id = c.document
      join tasks_read_only t on t.id = d.id
     where c.owner = $1
     order by c.added_at, c.document
     limit 1`,
};

const INSERT_LESSON = {
  name: 'passport-lesson',
  text: 'insert into passport_lessons (document, template, lesson, hashes) values ($1, $2, $3, $4)',
};

const DROP_WORDS = {
  name: 'passport-dropped-words',
  text: `
    insert into passport_dropped_words (lesson, dropped_by, words, hashes)
    select document, $2, $3::integer[], $4::integer[] from passport_lessons where document = $1`,
};

const DELETE_OLDEST = `
  delete from passport_lessons
   where document in (select document from passport_lessons
                       where template = $1 order by learned_at desc, document offset $2)`;

const DELETE_EMPTY = `
  delete from passport_templates t
   where id = $1 and not exists (select from passport_lessons l where l.template = t.id)`;

const COUNT = `
  select count(*)::integer as count,
         coalesce(max(substring(name from '${DEFAULT_NAME.source}')::integer), 0) as highest
    from passport_templates
   where owner = $1`;

const EVICT = `
  delete from passport_templates
   where id = (select id from passport_templates
                where owner = $1 and not enabled
                order by coalesce(used_at, created_at) limit 1)`;

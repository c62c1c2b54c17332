import type { Queryable, Transaction } from '../../../base/db.ts';
import { signBits } from '../../../base/signature.ts';
import { noteEarlierMatches } from '../alerts/find-matches.ts';
import type { Entry } from './entry.ts';

/**
 * A replaced record keeps its number; ids must be unique. Writers run one after another, so that a number never becomes
 * visible after a higher one; paging relies on it.
 */
export async function writeRecords(tx: Transaction, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  await lockRecords(tx);
  const ids = entries.map(({ recordId }) => recordId);
  // Locks the records, before the matcher can wait for the matches of this transaction.
  await tx.query(DISCARD_PICTURES, [ids, entries.map(({ picture }) => picture?.digest ?? null)]);
  await noteEarlierMatches(tx, ids);
  await tx.query(WRITE, columns(entries));
  await writeFields(tx, entries);
  await writeSignatures(tx, entries);
  await addWords(
    tx,
    entries.flatMap(({ searched }) => searched.words),
  );
}

async function writeFields(tx: Queryable, entries: readonly Entry[]): Promise<void> {
  const fields = entries.flatMap(({ recordId, fields: all }) => all.map((field) => ({ ...field, recordId })));
  await tx.query(DELETE_FIELDS, [entries.map(({ recordId }) => recordId)]);
  if (fields.length === 0) return;
  const columnOf = <Key extends keyof (typeof fields)[number]>(key: Key) => fields.map((field) => field[key]);
  await tx.query(WRITE_FIELDS, [columnOf('recordId'), columnOf('name'), columnOf('value'), columnOf('text')]);
}

/** A record that is indexed again after its task has expired keeps its signature. */
async function writeSignatures(tx: Queryable, entries: readonly Entry[]): Promise<void> {
  const signed = entries.flatMap(({ recordId, signature }) => (signature ? [{ recordId, ...signature }] : []));
  if (signed.length === 0) return;
  await tx.query(WRITE_SIGNATURES, [
    signed.map(({ recordId }) => recordId),
    signed.map(({ version }) => version),
    signed.map(({ values }) => signBits(values)),
    signed.map(({ values }) => Buffer.from(values).toString('hex')),
  ]);
}

/**
 * Serializes writers. Decisions that hide or show a record take the lock too, so that a concurrent write does not undo
 * them.
 */
export async function lockRecords(tx: Queryable): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
}

/** Any number that no other lock uses. */
const LOCK = 1_470_962_203;

/** Returns the number of deleted records. */
export async function deleteRecords(tx: Queryable, recordIds: readonly string[]): Promise<number> {
  if (recordIds.length === 0) return 0;
  await lockRecords(tx);
  const { rowCount } = await tx.query(ERASE, [recordIds]);
  return rowCount;
}

/** Inserts in sorted order, so that concurrent inserts do not deadlock. */
export async function addWords(tx: Queryable, words: readonly string[]): Promise<void> {
  if (words.length > 0) await tx.query(ADD_WORDS, [words]);
}

// Discards pictures of a previous source image.
const DISCARD_PICTURES = {
  name: 'catalog-discard-pictures',
  text: `
    with previous as materialized (
      select r.picture_key, r.picture_digest is distinct from e.picture_digest as changed
        from catalog_records r
        join unnest($1::text[], $2::text[]) as e (record_id, picture_digest) using (record_id)
       order by r.record_id
         for update of r
    )
    insert into catalog_files_to_delete (key)
    select picture_key from previous where changed and picture_key is not null
        on conflict do nothing`,
};

/** SQL of the search vector: the title ranks above the text. Both are space-separated words. */
export const searchVectorSql = (title: string, text: string): string =>
  `setweight(to_tsvector('russian', ${title}), 'A') || setweight(to_tsvector('russian', ${text}), 'D')`;

const WRITE = {
  name: 'catalog-write',
  text: `
    with entry as materialized (
      select * from unnest(
        $1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[],
        $9::real[], $10::text[], $11::real[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
        $17::text[], $18::text[], $19::text[], $20::text[], $21::text[]
      ) with ordinality as e (
        record_id, service, task_id, status, created_at, title, surface, master,
        master_conf, defects, top_conf, title_words, text_words, text, result, attachment,
        recording_key, picture, picture_digest, project, tags, place
      )
    ),
    record as (
      insert into catalog_records as r (record_id, service, task_id, status, created_at, title, surface, master,
                                        master_conf, defects, top_conf, hidden, picture_digest, search, project, tags)
      select e.record_id, e.service, e.task_id, e.status,
             coalesce(e.created_at, (select o.created_at from catalog_records o where o.record_id = e.record_id), now()),
             e.title, e.surface, e.master, e.master_conf, e.defects::jsonb, e.top_conf,
             catalog_hidden(e.record_id), e.picture_digest, ${searchVectorSql('e.title_words', 'e.text_words')},
             e.project, (select array_agg(tag) from json_array_elements_text(e.tags::json) as t (tag))
        from entry e
       order by place
          on conflict (record_id) do update
             set service        = excluded.service,
                 task_id        = excluded.task_id,
                 status         = excluded.status,
                 created_at     = excluded.created_at,
                 indexed_at     = now(),
                 title          = excluded.title,
                 surface        = excluded.surface,
                 master         = excluded.master,
                 master_conf    = excluded.master_conf,
                 defects        = excluded.defects,
                 top_conf       = excluded.top_conf,
                 hidden         = excluded.hidden,
                 search         = excluded.search,
                 project        = excluded.project,
                 tags           = excluded.tags,
                 picture_digest     = excluded.picture_digest,
                 picture_key    = case when r.picture_digest = excluded.picture_digest then r.picture_key end,
                 picture_width  = case when r.picture_digest = excluded.picture_digest then r.picture_width end,
                 picture_height = case when r.picture_digest = excluded.picture_digest then r.picture_height end
      returning number, record_id, picture_key
    ),
    texts as (
      insert into catalog_texts (number, text)
      select number, text
        from entry join record using (record_id)
          on conflict (number) do update set text = excluded.text
    ),
    details as (
      insert into catalog_details as d (number, result, attachment, recording_key)
      select number, result::json,
             attachment::json, recording_key
        from entry join record using (record_id)
          on conflict (number) do update
             set result     = excluded.result,
                 attachment = coalesce(excluded.attachment, d.attachment),
                 recording_key  = excluded.recording_key
    ),
    unwanted as (
      delete from catalog_picture_jobs p
       using entry e join record using (record_id)
       where p.number = record.number and (e.picture is null or record.picture_key is not null)
    )
    insert into catalog_picture_jobs (number, source, picture)
    select number, service, picture::json
      from entry join record using (record_id)
     where picture is not null and picture_key is null
     order by place
        on conflict (number) do update
           set source = excluded.source, picture = excluded.picture, due_at = now(), attempts = 0`,
};

const DELETE_FIELDS = {
  name: 'catalog-delete-fields',
  text: `
    delete from catalog_fields f using catalog_records r
     where r.record_id = any($1::text[]) and f.number = r.number`,
};

// Names can become equal when they are made storable.
const WRITE_FIELDS = {
  name: 'catalog-write-fields',
  text: `
    insert into catalog_fields (number, field, value, text)
    select r.number, e.field, e.value, e.text
      from unnest($1::text[], $2::text[], $3::float8[], $4::text[]) as e (record_id, field, value, text)
      join catalog_records r using (record_id)
        on conflict do nothing`,
};

const WRITE_SIGNATURES = {
  name: 'catalog-write-signatures',
  text: `
    with features as materialized (
      select r.number, e.version, ('x' || e.code)::bit(256) as code, decode(e.signature, 'hex') as signature
        from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as e (record_id, version, code, signature)
        join catalog_records r using (record_id)
    ),
    codes as (
      insert into catalog_codes (number, version, code) select number, version, code from features
          on conflict (number) do update set version = excluded.version, code = excluded.code
    )
    insert into catalog_signatures (number, version, signature) select number, version, signature from features
        on conflict (number) do update set version = excluded.version, signature = excluded.signature`,
};

function columns(entries: readonly Entry[]): unknown[][] {
  return [
    entries.map((e) => e.recordId),
    entries.map((e) => e.service),
    entries.map((e) => e.taskId ?? null),
    entries.map((e) => e.status),
    entries.map((e) => e.createdAt ?? null),
    entries.map((e) => e.title),
    entries.map((e) => e.surface ?? null),
    entries.map((e) => e.master?.name ?? null),
    entries.map((e) => e.master?.conf ?? null),
    entries.map((e) => JSON.stringify(Object.fromEntries(e.defects.map(({ name, conf }) => [name, conf])))),
    entries.map((e) => (e.defects.length > 0 ? Math.max(...e.defects.map(({ conf }) => conf)) : null)),
    entries.map((e) => e.searched.title),
    entries.map((e) => e.searched.text),
    entries.map((e) => e.text),
    entries.map((e) => JSON.stringify(e.result)),
    entries.map((e) => e.attachment ?? null),
    entries.map((e) => e.soundKey ?? null),
    entries.map((e) => (e.picture ? JSON.stringify(e.picture.of) : null)),
    entries.map((e) => e.picture?.digest ?? null),
    entries.map((e) => e.project ?? null),
    entries.map((e) => (e.tags ? JSON.stringify(e.tags) : null)),
  ];
}

const ADD_WORDS = {
  name: 'catalog-words',
  text: `
    insert into catalog_words (word)
    select distinct word collate "C" from unnest($1::text[]) as w (word) order by 1
        on conflict do nothing`,
};

const ERASE = {
  name: 'catalog-erase',
  text: `
    with erased as materialized (
      select number, picture_key
        from catalog_records
       where record_id = any($1::text[])
       order by record_id
         for update
    ),
    discarded as (
      insert into catalog_files_to_delete (key)
      select picture_key from erased where picture_key is not null
          on conflict do nothing
    )
    delete from catalog_records r using erased where r.number = erased.number`,
};

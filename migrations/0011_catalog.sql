-- Similarity of words, for misspelt and incomplete words.
create extension if not exists pg_trgm;

-- Stored files that no row refers to any more. They are deleted after the commit that added them here; a later cleanup repeats
-- a deletion that failed.
create table catalog_files_to_delete (
  key           text collate "C" primary key,
  added_at      timestamptz not null default now(),
  leased_until  timestamptz                            -- a process is deleting the file
);

-- Services whose finished tasks become records.
create table catalog_sources (
  service       text collate "C" primary key,
  since         xid8           not null default pg_current_xact_id(),
  complete      boolean        not null default false  -- tasks that finished earlier are in the feed too
);

-- Services that have been sources: the catalog, perhaps in another database, can have records of their tasks.
create table catalog_past_sources (
  service       text collate "C" primary key
);

-- Finished tasks and changed or deleted documents that are not yet indexed. Writers only append and never wait. The indexer
-- takes rows in the order of `serial` and deletes them in the transaction that writes their records, so that each one is
-- indexed once.
create table catalog_feed (
  serial        bigint generated always as identity primary key,
  service       text        not null,
  task_id       text collate "C" not null,
  deleted       boolean     not null default false,    -- deleted by a user: its record is deleted
  at            timestamptz not null default clock_timestamp(),
  id            uuid        not null default gen_random_uuid() -- the records can be in another database, with several feeds
);

alter table catalog_feed set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);

-- In the database of the records: rows of feeds whose records are written. An id is added with the records and deleted after its row
-- of the feed, so that a row is indexed once, whichever of the databases or processes fails in between.
create table catalog_indexed_feed_rows (
  id            uuid           primary key,
  at            timestamptz    not null default now()
);

-- Combinations of facet values that occur in records. There are few, so that counting records per combination counts all
-- facets at once. Rows never change; those that no record has any more are deleted.
create table catalog_facet_combinations (
  id            integer generated always as identity primary key,
  digest        bytea          not null unique,
  service       text           not null,
  status        text           not null,
  surface       text,
  master        text,
  defects       text[]         not null,               -- names
  project       text,
  tags          text[]         not null default '{}'
);

-- Records: the columns that are filtered and sorted by. Long values are in tables of their own.
create table catalog_records (
  number        bigint generated always as identity primary key, -- in the order of indexing
  created_at    timestamptz(3) not null,
  facets        integer        not null references catalog_facet_combinations (id), -- set by a trigger
  hidden        boolean        not null default false, -- by an accepted report; see catalog_hidden()
  record_id     text collate "C" not null unique,      -- service:task_id, or as imported
  service       text           not null,               -- 'import' for imported records
  task_id       text,
  status        text           not null check (status in ('done', 'failed')),
  indexed_at    timestamptz(3) not null default now(),
  title         text           not null,
  surface       text,
  master        text,                                  -- the most probable group
  master_conf   real,
  defects       jsonb          not null default '{}',  -- name → confidence
  top_conf      real,                                  -- the highest confidence of a defect
  project       text,
  tags          text[],
  duplicate     boolean        not null default false, -- another visible record has the same photo; see catalog_mark_duplicates()
  picture_digest text,                                 -- digest of the picture's source
  picture_key   text,                                  -- in the file store; the longer side has at most 1024 px
  picture_width integer,
  picture_height integer,
  thumbnail_key text,                                  -- in the file store; null: made for each request
  search        tsvector       not null,               -- weight A: the title; D: the text
  title_search  tsvector generated always as (ts_filter(search, '{a}')) stored
);

-- Search vectors of long rows are stored out of line and uncompressed: lists, counts and sorts read short rows, and phrase
-- searches read vectors repeatedly. Pages keep room for the update that stores a picture, which then needs no new index
-- entries. Index-only counts need pages that were vacuumed since their last change.
alter table catalog_records set (toast_tuple_target = 128, fillfactor = 85, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_vacuum_scale_factor = 0.05);
alter table catalog_records alter search set storage external, alter title set storage main,
  alter title_search set storage main, alter defects set storage main, alter surface set storage main,
  alter master set storage main, alter project set storage main, alter tags set storage main;

-- Without sequential scans, because the plan is kept while the number of combinations grows.
create function catalog_set_facets() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  names text[] := array(select jsonb_object_keys(new.defects));
  sorted_tags text[] := array(select unnest(new.tags) order by 1);
  combination bytea := sha256(convert_to(
    (jsonb_build_array(new.service, new.status, new.surface, new.master, names)
     || case when new.project is null and new.tags is null then '[]' else jsonb_build_array(new.project, sorted_tags) end
    )::text, 'utf8'));
begin
  select id into new.facets from catalog_facet_combinations where digest = combination;
  if new.facets is null then
    insert into catalog_facet_combinations (digest, service, status, surface, master, defects, project, tags)
    values (combination, new.service, new.status, new.surface, new.master, names, new.project, sorted_tags)
    on conflict (digest) do nothing;
    select id into new.facets from catalog_facet_combinations where digest = combination;
  end if;
  return new;
end $$;

create trigger catalog_set_facets
  before insert or update of service, status, surface, master, defects, project, tags on catalog_records
  for each row execute function catalog_set_facets();

-- How many visible records each combination of facet values has, so that facets of a million records are counted without reading
-- the records.
create table catalog_facet_counts (
  facets        integer        primary key references catalog_facet_combinations (id) on delete cascade,
  count         bigint         not null,
  duplicates    bigint         not null default 0      -- of these: duplicate
);

create function catalog_count_facets() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from catalog_facet_counts;
    return null;
  end if;
  execute format(
    'insert into catalog_facet_counts as c (facets, count, duplicates)
     select facets, sum(change), sum(change * duplicate::integer) from (%s) changed where not hidden
      group by facets having sum(change) <> 0 or sum(change * duplicate::integer) <> 0 order by facets
         on conflict (facets) do update
        set count = c.count + excluded.count, duplicates = c.duplicates + excluded.duplicates',
    case tg_op
      when 'INSERT' then 'select facets, hidden, duplicate, 1 as change from added'
      when 'DELETE' then 'select facets, hidden, duplicate, -1 as change from removed'
      else 'select facets, hidden, duplicate, 1 as change from added
            union all select facets, hidden, duplicate, -1 from removed'
    end);
  return null;
end $$;

create trigger catalog_count_inserted after insert on catalog_records
  referencing new table as added for each statement execute function catalog_count_facets();
create trigger catalog_count_updated after update on catalog_records
  referencing new table as added old table as removed for each statement execute function catalog_count_facets();
create trigger catalog_count_deleted after delete on catalog_records
  referencing old table as removed for each statement execute function catalog_count_facets();

create trigger catalog_count_truncated after truncate on catalog_records
  for each statement execute function catalog_count_facets();

create table catalog_texts (
  number        bigint primary key references catalog_records (number) on delete cascade,
  text          text           not null                -- the source of snippets
);

create table catalog_details (
  number        bigint primary key references catalog_records (number) on delete cascade,
  result        json           not null,
  attachment    json,                                  -- heatmaps
  recording_key text                                   -- an upload, which expires independently
);

-- The fields of documents and the attributes of imported records, for filters by their presence, their number and their text.
create table catalog_fields (
  number        bigint not null references catalog_records (number) on delete cascade,
  field         text collate "C" not null,             -- section:field of a document, or the name of an attribute
  value         double precision,                      -- null: not a number
  text          text collate "C",                      -- a short text or a truth value; null: neither
  primary key (number, field)
);

create index catalog_fields_by_value on catalog_fields (field, value, number);
create index catalog_fields_by_text on catalog_fields (field, text, number) where text is not null;

-- Every word of all records, in lower case with ё replaced by е: candidates for spelling correction.
create table catalog_words (
  word          text collate "C" primary key
);

-- Pictures to be created. Not tasks: see docs/decisions/0024-schema.md.
create table catalog_picture_jobs (
  number        bigint primary key references catalog_records (number) on delete cascade,
  source        text           not null,               -- the service that provides the picture
  picture       json           not null,               -- its parameter
  due_at        timestamptz    not null default now(), -- during an attempt the end of its lease
  attempts      smallint       not null default 0
);

create index catalog_picture_jobs_due on catalog_picture_jobs (due_at);

-- The running rebuild of the index, at most one row.
create table catalog_rebuild (
  singleton     boolean        primary key default true check (singleton),
  requested_at  timestamptz    not null default now(),
  feed_filled   boolean        not null default false, -- all readable tasks are in the feed again
  fed_services  text[]         not null default '{}',  -- their tasks are in the feed again
  last_number   bigint         not null default 0      -- records up to this number are reindexed from their stored text
);

create table catalog_views (
  id            text collate "C" primary key,
  owner         text           not null,               -- a token's short name, or the digest of a cookie
  address       text,                                  -- digest of a visitor's address, which limits the number of views
  name          text           not null,
  query         text           not null,               -- the query string of the search page
  created_at    timestamptz(3) not null default now(),
  unique (owner, name)
);

create index catalog_views_by_address on catalog_views (address) where address is not null;

-- Alerts of saved views (docs/decisions/0051-alerts.md).
create table catalog_alerts (
  view_id       text collate "C" primary key references catalog_views (id) on delete cascade,
  filters       json           not null,               -- parsed from the view's query
  webhook_url   text,
  secret        bytea,                                 -- encrypted
  since         timestamptz(3) not null default now(),
  since_number  bigint         not null,               -- records up to this number existed
  since_change  bigint         not null,               -- changes up to this serial are not evaluated
  sent          bigint         not null                -- matches up to this position are in a webhook
);

-- Each record once per alert.
create table catalog_matches (
  view_id       text collate "C" not null references catalog_alerts (view_id) on delete cascade,
  number        bigint         not null references catalog_records (number) on delete cascade,
  position      bigint generated always as identity,   -- of announced matches: visible in this order
  announced     boolean        not null,               -- false: matched before the alert was set
  matched_at    timestamptz(3) not null default clock_timestamp(),
  primary key (view_id, number)
);

create index catalog_matches_in_order on catalog_matches (view_id, position) where announced;
create index catalog_matches_by_record on catalog_matches (number);

-- Records that are new or have changed, until the alerts were evaluated.
create table catalog_changes (
  serial        bigint generated always as identity primary key,
  number        bigint         not null
);

create index catalog_changes_by_record on catalog_changes (number);
alter table catalog_changes set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);

create table reports (
  id            text collate "C" primary key,
  record_id     text collate "C" not null,             -- may name a record that does not exist
  action_type   text           not null,
  description   text,
  user_info     text,
  status        text           not null default 'open',
  resolver_note text,
  moved_by      text,                                  -- the moderator who set the status
  reporter      text           not null,               -- a token's short name, or the digest of an address
  receipt       bytea          not null,               -- digest of the secret with which the reporter reads the outcome
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  resolved_at   timestamptz(3),
  applies       boolean        not null default true,  -- false: the decision is recorded but changes no record
  version       integer        not null default 1
);

create index reports_by_record on reports (record_id, created_at);
create index reports_by_age on reports (created_at, id);
create index reports_by_status on reports (status, created_at, id);
create index reports_unresolved on reports (record_id) where status in ('open', 'in_review');

-- The audit trail: a hash chain over the events of all reports (`assay audit verify`). The hash of a row covers the row and
-- the previous hash, so that changed, deleted and inserted rows are detected.
create table report_events (
  serial        bigint primary key,                    -- without gaps
  report_id     text collate "C" not null,
  at            timestamptz(3) not null,
  actor         text           not null,
  action        text           not null check (action in ('created', 'changed', 'refused')),
  outcome       text           not null check (outcome in ('done', 'refused')),
  old_status    text,
  new_status    text,
  note          text,
  content       bytea          not null,               -- digest of the report's texts after the event
  request_id    text,
  prev_hash     bytea          not null,
  hash          bytea          not null
);

create index report_events_by_report on report_events (report_id, serial);

create function report_events_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is append-only';
end $$;

create trigger append_only before update or delete or truncate on report_events
  for each statement execute function report_events_append_only();

-- Whether a record is hidden: by the latest accepted report on it that hides, deletes or restores. Reopening a report undoes
-- its decision.
create function catalog_hidden(id text) returns boolean language sql stable as $$
  select coalesce((select action_type in ('delete', 'hide')
                     from reports
                    where record_id = catalog_hidden.id and status = 'accepted' and applies
                      and action_type in ('delete', 'hide', 'restore')
                    order by resolved_at desc, id desc
                    limit 1), false)
$$;

-- Tasks reach the feed from their events, when these are numbered: when they end and when they are corrected. Documents are fed by
-- their own triggers. A service that is no source costs one look-up in a small table.
create function catalog_feed_events() returns trigger language plpgsql as $$
begin
  insert into catalog_feed (service, task_id, at)
  select e.service, e.task_id, e.at
    from new_rows e
    join catalog_sources s on s.service = e.service
   where e.kind = 'terminal' or (e.kind = 'corrected' and e.service <> 'passports')
   order by e.number;
  return null;
end $$;

create trigger catalog_feed_events after insert on task_events
  referencing new table as new_rows for each statement execute function catalog_feed_events();

create function catalog_feed_document() returns trigger language plpgsql as $$
begin
  insert into catalog_feed (service, task_id, deleted)
  select 'passports', old.id, tg_op = 'DELETE'
   where exists (select from catalog_sources where service = 'passports')
      -- Deleting a document deletes its record, also after passports has ceased to be a source.
      or (tg_op = 'DELETE' and exists (select from catalog_past_sources where service = 'passports'));
  return null;
end $$;

create trigger catalog_feed_changed_document after update of filename, version on passport_documents
  for each row when (old.filename <> new.filename or old.version <> new.version)
  execute function catalog_feed_document();
create trigger catalog_feed_deleted_document after delete on passport_documents
  for each row execute function catalog_feed_document();

create function catalog_note_change() returns trigger language plpgsql as $$
begin
  insert into catalog_changes (number) select new.number where exists (select from catalog_alerts);
  return null;
end $$;

create trigger note_new_record after insert on catalog_records
  for each row execute function catalog_note_change();
create trigger note_changed_record
  after update of created_at, service, status, surface, master, master_conf, defects, top_conf, hidden, search
  on catalog_records for each row
  when (row(old.created_at, old.facets, old.master_conf, old.defects, old.hidden, old.search)
        is distinct from row(new.created_at, new.facets, new.master_conf, new.defects, new.hidden, new.search))
  execute function catalog_note_change();

-- Fields change with the result, and `has_report` with the reports.
create trigger note_changed_result after update of result on catalog_details
  for each row when (old.result::text is distinct from new.result::text) execute function catalog_note_change();

create function catalog_note_report() returns trigger language plpgsql as $$
begin
  insert into catalog_changes (number)
  select r.number from catalog_records r where r.record_id = new.record_id and exists (select from catalog_alerts);
  return null;
end $$;

create trigger note_report after insert or update of status on reports
  for each row execute function catalog_note_report();

-- Signatures of the features of photos, for similar pictures: src/ml/feature-signature.ts. Each search reads the codes of all photos,
-- in a table without the signatures a third of the pages.
create table catalog_signatures (
  number        bigint primary key references catalog_records (number) on delete cascade,
  version       text           not null,               -- signatures of different versions are not compared
  signature     bytea          not null                -- signed bytes
);

create table catalog_codes (
  number        bigint primary key references catalog_records (number) on delete cascade,
  version       text           not null,               -- of the signature
  code          bit(256)       not null                -- signs of the signature
);

-- The patterns of stored pictures, for other records of the same photo: src/services/catalog/model/photo-pattern.ts. The trigger
-- queues each stored picture.
create table catalog_photos (
  number        bigint primary key references catalog_records (number) on delete cascade,
  due_at        timestamptz,                           -- null: compared; during an attempt the end of its lease
  hash          bit(138),                              -- null: not compared yet, or without structure
  pattern       bytea,                                 -- 144 signed bytes
  photo         bigint                                 -- equal for records of the same photo; null: no other one is known
);

alter table catalog_photos set (toast_tuple_target = 128);
alter table catalog_photos alter pattern set storage external;
create index catalog_photos_due on catalog_photos (number) where due_at is not null;
create index catalog_photos_same on catalog_photos (photo) where photo is not null;

-- Numbers are not reused: another picture of a record is not the same photo.
create sequence catalog_photo_groups owned by catalog_photos.photo;

create function catalog_queue_photo() returns trigger language plpgsql as $$
begin
  delete from catalog_photos where number = new.number;
  if new.picture_key is not null then
    insert into catalog_photos (number, due_at) values (new.number, now());
  end if;
  return null;
end $$;

create trigger catalog_queue_photo after update of picture_key on catalog_records
  for each row when (new.picture_key is distinct from old.picture_key) execute function catalog_queue_photo();

-- Updates `duplicate` after changes of the records `numbers`, which are or were records of these photos. Other records of a photo
-- with two visible ones besides those are duplicates already, so that the cost does not grow with the number of copies. Changes
-- of photos, of `hidden` and deletions hold the lock of the writers of records (lockRecords).
create function catalog_mark_duplicates(numbers bigint[], photos bigint[]) returns void language sql set enable_seqscan = off as $$
  update catalog_records r
     set duplicate = not r.duplicate
   where r.number = any(array(
           select unnest(numbers)
           union
           select p.number
             from (select photo, count(*) + 2 as enough from unnest(photos) as c (photo) group by photo) changed
             join catalog_photos p using (photo)
            where (select count(*)
                     from (select from catalog_photos o join catalog_records v using (number)
                            where o.photo = changed.photo and not v.hidden
                            limit enough) visible) < enough))
     and r.duplicate <> exists (
           select from catalog_photos p
             join catalog_photos o on o.photo = p.photo and o.number <> p.number
             join catalog_records v on v.number = o.number
            where p.number = r.number and not v.hidden)
$$;

create function catalog_note_copies() returns trigger language plpgsql as $$
declare
  numbers bigint[];
  photos bigint[];
begin
  if tg_op = 'INSERT' then
    select array_agg(number), array_agg(photo) into numbers, photos from added where photo is not null;
  elsif tg_op = 'DELETE' then
    select array_agg(number), array_agg(photo) into numbers, photos from removed where photo is not null;
  elsif tg_table_name = 'catalog_photos' then
    select array_agg(number), array_agg(c.photo) into numbers, photos
      from removed r join added a using (number), unnest(array[r.photo, a.photo]) as c (photo)
     where r.photo is distinct from a.photo and c.photo is not null;
  else
    select array_agg(number), array_agg(p.photo) into numbers, photos
      from removed r join added a using (number) join catalog_photos p using (number)
     where r.hidden <> a.hidden and p.photo is not null;
  end if;
  if numbers is not null then
    perform catalog_mark_duplicates(numbers, photos);
  end if;
  return null;
end $$;

create trigger catalog_note_added_copies after insert on catalog_photos
  referencing new table as added for each statement execute function catalog_note_copies();
create trigger catalog_note_changed_copies after update on catalog_photos
  referencing new table as added old table as removed for each statement execute function catalog_note_copies();
create trigger catalog_note_removed_copies after delete on catalog_photos
  referencing old table as removed for each statement execute function catalog_note_copies();
create trigger catalog_note_hidden_copies after update on catalog_records
  referencing new table as added old table as removed for each statement execute function catalog_note_copies();

-- Discards a thumbnail when its picture is replaced or deleted.
create function catalog_discard_thumbnail() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.picture_key is not distinct from old.picture_key and new.thumbnail_key is not distinct from old.thumbnail_key then
      return new;
    end if;
    if new.thumbnail_key = old.thumbnail_key then
      new.thumbnail_key := null;
    end if;
  end if;
  if old.thumbnail_key is not null then
    insert into catalog_files_to_delete (key) values (old.thumbnail_key) on conflict do nothing;
  end if;
  return new;
end $$;

create trigger catalog_discard_thumbnail before update of picture_key, thumbnail_key on catalog_records
  for each row when (old.thumbnail_key is not null) execute function catalog_discard_thumbnail();
create trigger catalog_discard_thumbnail_of_deleted after delete on catalog_records
  for each row when (old.thumbnail_key is not null) execute function catalog_discard_thumbnail();

-- Indexes for searches. Lists, counts and exports use index-only scans where possible; `number` limits them to a snapshot.
create index catalog_records_by_age on catalog_records (created_at desc, number desc, facets, duplicate) where not hidden;
create index catalog_records_by_confidence on catalog_records
  (coalesce(top_conf, -1) desc, created_at desc, number desc, facets, duplicate) where not hidden;
create index catalog_records_by_facets on catalog_records (facets, created_at desc, number desc, duplicate) where not hidden;
-- Duplicates can be few, or few of some facets.
create index catalog_duplicates_by_age on catalog_records (created_at desc, number desc, facets) where duplicate and not hidden;
create index catalog_duplicates_by_facets on catalog_records (facets, created_at desc, number desc) where duplicate and not hidden;
-- For the deletion of combinations that no record has any more, also for the check of the foreign key.
create index catalog_records_by_combination on catalog_records (facets);
create index catalog_records_hidden on catalog_records (created_at desc, number desc) where hidden;
create index catalog_records_by_indexing on catalog_records (indexed_at);
create index catalog_records_by_task on catalog_records (task_id);
-- Adjacent words, as hashes: a phrase of common words is found without reading the positions in most records that contain them all.
create function catalog_word_pairs(words tsvector) returns integer[] language sql immutable parallel safe as $$
  with occurrences as (
    select lexeme, position from unnest(words) as w (lexeme, positions, weights), unnest(positions) as position)
  select array_agg(distinct hashtext(a.lexeme || ' ' || b.lexeme) & 65535)
    from occurrences a join occurrences b on b.position = a.position + 1
$$;
-- One index for all: a word in the title and another that is excluded anywhere need no search vectors; a common word with a facet, of a service or
-- among the newest records, by ranges of 1024 or 32768 numbers, needs only part of its list.
create index catalog_records_words on catalog_records
  using gin (search, title_search, catalog_word_pairs(search), (array[facets, ~(hashtext(service) & 1023)]),
             (array[(number / 1024)::integer, ~(number / 32768)::integer]))
  with (fastupdate = off);
create index catalog_words_trigrams on catalog_words using gin (word gin_trgm_ops);

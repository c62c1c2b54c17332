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

-- Finished tasks and changed or deleted documents that are not yet indexed. Writers only append and never wait. The indexer
-- takes rows in the order of `serial` and deletes them in the transaction that writes their records, so that each one is
-- indexed once.
create table catalog_feed (
  serial        bigint generated always as identity primary key,
  service       text        not null,
  task_id       text collate "C" not null,
  deleted       boolean     not null default false,    -- deleted by a user: its record is deleted
  at            timestamptz not null default clock_timestamp()
);

alter table catalog_feed set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);

-- Combinations of facet values that occur in records. There are few, so that counting records per combination counts all
-- facets at once. Rows never change and are never deleted.
create table catalog_facet_combinations (
  id            integer generated always as identity primary key,
  digest        bytea          not null unique,
  service       text           not null,
  status        text           not null,
  surface       text,
  master        text,
  defects       text[]         not null                -- names
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
  picture_digest text,                                 -- digest of the picture's source
  picture_key   text,                                  -- in the file store; the longer side has at most 1024 px
  picture_width integer,
  picture_height integer,
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
  alter master set storage main;

create function catalog_set_facets() returns trigger language plpgsql as $$
declare
  names text[] := array(select jsonb_object_keys(new.defects));
  combination bytea := sha256(convert_to(
    jsonb_build_array(new.service, new.status, new.surface, new.master, names)::text, 'utf8'));
begin
  select id into new.facets from catalog_facet_combinations where digest = combination;
  if new.facets is null then
    insert into catalog_facet_combinations (digest, service, status, surface, master, defects)
    values (combination, new.service, new.status, new.surface, new.master, names)
    on conflict (digest) do nothing;
    select id into new.facets from catalog_facet_combinations where digest = combination;
  end if;
  return new;
end $$;

create trigger catalog_set_facets before insert or update of service, status, surface, master, defects on catalog_records
  for each row execute function catalog_set_facets();

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

-- Triggers, so that the feed is complete whichever component ends a task. A service that is no source costs one look-up in a
-- small table.
create function catalog_feed_task() returns trigger language plpgsql as $$
begin
  insert into catalog_feed (service, task_id)
  select new.service, new.id where exists (select from catalog_sources where service = new.service);
  return null;
end $$;

create trigger catalog_feed_finished_task after update of status on tasks
  for each row when (new.finished_at is not null and old.finished_at is null)
  execute function catalog_feed_task();
create trigger catalog_feed_inserted_task after insert on tasks
  for each row when (new.finished_at is not null)
  execute function catalog_feed_task();

create function catalog_feed_document() returns trigger language plpgsql as $$
begin
  insert into catalog_feed (service, task_id, deleted)
  select 'passports', old.id, tg_op = 'DELETE'
   where exists (select from catalog_sources where service = 'passports')
      -- Deleting a document deletes its record, also after passports has ceased to be a source.
      or (tg_op = 'DELETE' and exists (select from catalog_records where record_id = 'passports:' || old.id));
  return null;
end $$;

create trigger catalog_feed_changed_document after update of filename, version on passport_documents
  for each row when (old.filename <> new.filename or old.version <> new.version)
  execute function catalog_feed_document();
create trigger catalog_feed_deleted_document after delete on passport_documents
  for each row execute function catalog_feed_document();

-- Indexes for searches. Lists, counts and exports use index-only scans where possible; `number` limits them to a snapshot.
create index catalog_records_by_age on catalog_records (created_at desc, number desc, facets) where not hidden;
create index catalog_records_by_confidence on catalog_records
  (coalesce(top_conf, -1) desc, created_at desc, number desc, facets) where not hidden;
create index catalog_records_by_facets on catalog_records (facets, number) where not hidden;
create index catalog_records_hidden on catalog_records (created_at desc, number desc) where hidden;
create index catalog_records_by_indexing on catalog_records (indexed_at);
create index catalog_records_by_task on catalog_records (task_id);
create index catalog_records_words on catalog_records using gin (search) with (fastupdate = off);
create index catalog_records_titles on catalog_records using gin (title_search) with (fastupdate = off);
create index catalog_words_trigrams on catalog_words using gin (word gin_trgm_ops);

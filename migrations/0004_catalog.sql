-- Words that are nearly right: misspelt, or only parts of a word.
create extension if not exists pg_trgm;

-- Answers to repeated requests are no longer the business of one service.
alter table passport_replies rename to replies;
alter index passport_replies_created rename to replies_created;

-- Whose finished work becomes records. What is not here costs its tasks one look at an empty table.
create table catalog_sources (
  service       text collate "C" primary key,
  since         xid8           not null default pg_current_xact_id(),
  complete      boolean        not null default false    -- what had ended before is in the feed too
);

-- What has ended, changed or gone and is not yet in the catalog. Whoever ends a task only appends here and waits for
-- nobody; the indexer takes rows in the order of `serial`, and removes them in the transaction that writes their records:
-- so every ending is indexed once.
create table catalog_feed (
  serial        bigint generated always as identity primary key,
  service       text        not null,
  task_id       text collate "C" not null,
  gone          boolean     not null default false, -- deleted by a person, and so not to be found any more
  at            timestamptz not null default clock_timestamp()
);

alter table catalog_feed set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);

-- What the facets count, as it occurs together. Records are many and these are few, so counting records by their kind
-- counts all facets at once. Kinds are never changed nor removed.
create table catalog_kinds (
  id            integer generated always as identity primary key,
  digest        bytea          not null unique,
  service       text           not null,
  status        text           not null,
  surface       text,
  master        text,
  defects       text[]         not null                  -- names
);

-- A record: what people filter and sort by. The number is in the order of indexing; what is long stands in tables of its own.
create table catalog_records (
  number        bigint generated always as identity primary key,
  created_at    timestamptz(3) not null,
  kind          integer        not null references catalog_kinds (id), -- set by a trigger
  hidden        boolean        not null default false,   -- by an accepted report; see catalog_hidden()
  record_id     text collate "C" not null unique,       -- service:task_id, or as it was imported
  service       text           not null,                -- 'import' for records that no service made
  task_id       text,
  status        text           not null check (status in ('done', 'failed')),
  indexed_at    timestamptz(3) not null default now(),
  title         text           not null,
  surface       text,
  master        text,                                    -- the likeliest group
  master_conf   real,
  defects       jsonb          not null default '{}',    -- name → confidence
  top_conf      real,                                    -- of the surest defect
  picture_of    text,                                    -- a digest of what the picture is made of
  picture_key   text,                                    -- at most 1024 px on its longer side, in the file store
  picture_width integer,
  picture_height integer,
  search        tsvector       not null,                 -- weight A: the title; D: the text
  title_search  tsvector generated always as (ts_filter(search, '{a}')) stored
);

-- Where a row is long, its words go out of line, as they are: what lists, counts and sorts reads short rows, and what looks
-- for a phrase reads words again and again. A page has room for the row that its picture is written into, which then needs
-- no new places in the indexes; and counting by an index alone needs pages that were vacuumed since they were written.
alter table catalog_records set (toast_tuple_target = 128, fillfactor = 85, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_vacuum_scale_factor = 0.05);
alter table catalog_records alter search set storage external, alter title set storage main,
  alter title_search set storage main, alter defects set storage main, alter surface set storage main,
  alter master set storage main;

create function catalog_kind() returns trigger language plpgsql as $$
declare
  names text[] := array(select jsonb_object_keys(new.defects));
  mark bytea := sha256(convert_to(
    jsonb_build_array(new.service, new.status, new.surface, new.master, names)::text, 'utf8'));
begin
  select id into new.kind from catalog_kinds where digest = mark;
  if new.kind is null then
    insert into catalog_kinds (digest, service, status, surface, master, defects)
    values (mark, new.service, new.status, new.surface, new.master, names)
    on conflict (digest) do nothing;
    select id into new.kind from catalog_kinds where digest = mark;
  end if;
  return new;
end $$;

create trigger catalog_kind before insert or update of service, status, surface, master, defects on catalog_records
  for each row execute function catalog_kind();

create table catalog_texts (
  number        bigint primary key references catalog_records (number) on delete cascade,
  text          text           not null                  -- what was searched in, for the line shown with a hit
);

create table catalog_details (
  number        bigint primary key references catalog_records (number) on delete cascade,
  result        json           not null,
  attachment    json,                                    -- heatmaps
  sound_key     text                                     -- an upload, which dies with its own time
);

-- Every word that a record has had, as it was written (lower case, ё as е): what a misspelt word is compared with.
create table catalog_words (
  word          text collate "C" primary key
);

-- Pictures that are still to be made. A row is a lease like a task's.
create table catalog_pictures (
  number        bigint primary key references catalog_records (number) on delete cascade,
  source        text           not null,
  picture       json           not null,                 -- what the service is asked with
  due_at        timestamptz    not null default now(),
  attempts      smallint       not null default 0
);

create index catalog_pictures_due on catalog_pictures (due_at);

-- Bytes in the file store that nothing refers to any more.
create table catalog_trash (
  key           text collate "C" primary key,
  since         timestamptz    not null default now()
);

-- That everything is being indexed anew, and how far that has come.
create table catalog_rebuild (
  only_one      boolean        primary key default true check (only_one),
  asked_at      timestamptz    not null default now(),
  fed           boolean        not null default false,   -- what can still be read is in the feed again
  done          bigint         not null default 0        -- up to this number texts are taken apart anew
);

-- People's own names for what they look for.
create table catalog_views (
  id            text collate "C" primary key,
  owner         text           not null,
  name          text           not null,
  query         text           not null,                 -- as it stands in an address
  created_at    timestamptz(3) not null default now(),
  unique (owner, name)
);

create table reports (
  id            text collate "C" primary key,
  record_id     text collate "C" not null,               -- nobody asks whether there is such a record
  action_type   text           not null,
  description   text,
  user_info     text,
  status        text           not null default 'open',
  resolver_note text,
  moved_by      text,                                    -- the moderator who put it to where it stands
  reporter      text           not null,                 -- a token's short name, or a digest of an address
  receipt       bytea          not null,                 -- digest of what its reporter can read the outcome with
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  resolved_at   timestamptz(3),
  acts          boolean        not null default true,    -- false: the decision is written down and changes no record
  version       integer        not null default 1
);

create index reports_by_record on reports (record_id, created_at);
create index reports_by_age on reports (created_at, id);
create index reports_by_status on reports (status, created_at, id);

-- The audit trail: one chain over all reports. A row's hash is over the row and the hash before it, so a row that is
-- changed, removed or put in between is found by whoever walks the chain (`assay audit verify`). `content` is what the
-- report's own texts are compared with.
create table report_events (
  serial        bigint primary key,                      -- without gaps
  report_id     text collate "C" not null,
  at            timestamptz(3) not null,
  actor         text           not null,
  action        text           not null check (action in ('created', 'changed', 'refused')),
  outcome       text           not null check (outcome in ('done', 'refused')),
  was           text,
  became        text,
  note          text,
  content       bytea          not null,                 -- digest of the report's texts as they stand after this
  request_id    text,
  prev_hash     bytea          not null,
  hash          bytea          not null
);

create index report_events_by_report on report_events (report_id, serial);

create function report_events_are_for_ever() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is only ever appended to';
end $$;

create trigger for_ever before update or delete or truncate on report_events
  for each statement execute function report_events_are_for_ever();

-- Whether a record is hidden: what the latest accepted report on it says that is about being seen. Reopening a report
-- takes its word back.
create function catalog_hidden(id text) returns boolean language sql stable as $$
  select coalesce((select action_type in ('delete', 'hide')
                     from reports
                    where record_id = catalog_hidden.id and status = 'accepted' and acts
                      and action_type in ('delete', 'hide', 'restore')
                    order by resolved_at desc, id desc
                    limit 1), false)
$$;

-- What ends comes to the catalog by the rows themselves, so it does not matter who ended it: a worker, a route, a sweep.

create function catalog_task_ended() returns trigger language plpgsql as $$
begin
  insert into catalog_feed (service, task_id)
  select new.service, new.id where exists (select from catalog_sources where service = new.service);
  return null;
end $$;

create trigger catalog_task_ended after update of status on tasks
  for each row when (new.finished_at is not null and old.finished_at is null)
  execute function catalog_task_ended();

-- One that is born done: the copy of another's result.
create trigger catalog_task_came after insert on tasks
  for each row when (new.finished_at is not null)
  execute function catalog_task_ended();

-- A document that was renamed or edited is indexed anew; one that was deleted is to be found no more.
create function catalog_document_changed() returns trigger language plpgsql as $$
begin
  insert into catalog_feed (service, task_id, gone)
  select 'passports', old.id, tg_op = 'DELETE'
   where exists (select from catalog_sources where service = 'passports')
      -- Whoever deletes a document means its record too, whether or not there will be new ones.
      or (tg_op = 'DELETE' and exists (select from catalog_records where record_id = 'passports:' || old.id));
  return null;
end $$;

create trigger catalog_changed after update of filename, version on passport_documents
  for each row when (old.filename <> new.filename or old.version <> new.version)
  execute function catalog_document_changed();

create trigger catalog_went after delete on passport_documents
  for each row execute function catalog_document_changed();

-- Indexes of the search. Lists, counts and exports read indexes alone where they can; a number stands in them for `upto`.
create index catalog_records_newest on catalog_records (created_at desc, number desc, kind) where not hidden;
create index catalog_records_surest on catalog_records
  (coalesce(top_conf, -1) desc, created_at desc, number desc, kind) where not hidden;
create index catalog_records_kinds on catalog_records (kind, number) where not hidden;
create index catalog_records_hidden on catalog_records (created_at desc, number desc) where hidden;
create index catalog_records_latest on catalog_records (indexed_at);
create index catalog_records_by_task on catalog_records (task_id);
create index catalog_records_words on catalog_records using gin (search) with (fastupdate = off);
create index catalog_records_titles on catalog_records using gin (title_search) with (fastupdate = off);
create index reports_unsettled on reports (record_id) where status in ('open', 'in_review');
create index catalog_words_alike on catalog_words using gin (word gin_trgm_ops);

-- Stored files that no row refers to any more. They are deleted after the commit that added them here; a later cleanup repeats
-- a deletion that failed.
create table passport_files_to_delete (
  key           text collate "C" primary key,
  added_at      timestamptz not null default now(),
  leased_until  timestamptz                            -- a process is deleting the file
);

-- Stored PDFs. Documents with the same content share one, which is deleted with the last of them and its page images.
create table passport_files (
  key           text collate "C" primary key,
  documents     integer     not null                   -- number of documents that use the file
);

create table passport_pictures (
  key           text collate "C" primary key,
  file_key      text collate "C" not null references passport_files (key) on delete cascade
);

create index passport_pictures_by_file on passport_pictures (file_key);

-- The words and ruled lines of the pages of a stored PDF, from which templates learn.
create table passport_readings (
  key           text collate "C" primary key,
  file_key      text collate "C" not null references passport_files (key) on delete cascade
);

create index passport_readings_by_file on passport_readings (file_key);

-- A document belongs to a task, whose result is the extraction and never changes; corrections are in passport_edits.
create table passport_documents (
  id            text collate "C" primary key references tasks (id) on delete cascade,
  session       text           not null,               -- digest of the session cookie, or key:NAME
  key_name      text,                                  -- the API key that created it; null: an anonymous session
  filename      text           not null,
  cached        boolean        not null,
  cache_key     text           not null,
  file_key      text collate "C" not null,
  size_bytes    bigint         not null,
  version       integer        not null default 1,
  project       text,
  tags          text[],
  created_at    timestamptz(3) not null default now(), -- milliseconds, which JavaScript dates represent exactly
  changed_at    timestamptz(3) not null default now()
);

create index passport_documents_by_session on passport_documents (session, created_at, id);
create index passport_documents_by_age on passport_documents (created_at, id);
create index passport_documents_by_content on passport_documents (cache_key);
create index passport_documents_by_file on passport_documents (file_key);
create index tasks_passports_ended on tasks (finished_at) where service = 'passports' and finished_at is not null;

-- Corrections. Rows never change: the latest row of a key is its current value, all rows are the history.
create table passport_edits (
  serial        bigint generated always as identity primary key,
  document      text collate "C" not null references passport_documents (id) on delete cascade,
  key           text           not null,
  old_value     json           not null,
  new_value     json           not null,
  actor         text           not null,
  at            timestamptz(3) not null default now()
);

create index passport_edits_latest on passport_edits (document, key, serial);

-- Confirmations: a person checked all values of a version of a document. Rows never change.
create table passport_confirmations (
  document      text collate "C" not null references passport_documents (id) on delete cascade,
  version       integer        not null,
  actor         text           not null,
  at            timestamptz(3) not null default now(),
  primary key (document, version)
);

-- Corrections per field and confidence, of documents that a person corrected or confirmed. Contains no values, and stays when documents
-- are deleted. At most 1,002 rows per engine version and field (src/services/passports/store/quality.ts).
create table passport_quality (
  engine        text     not null,                     -- engine version of the reading
  field         text     not null,                     -- section:field or section:column; empty: counts documents in value_count
  confidence    smallint not null,                     -- in thousandths, rounded down; -1: not measured, or no value was read
  value_count   bigint   not null default 0,           -- values that were read
  corrected     bigint   not null default 0,           -- of these, with another value now
  missed        bigint   not null default 0,           -- values that a person added
  primary key (engine, field, confidence)
);

-- Forms that corrections have taught. They contain no values: see src/services/passports/model/templates/lesson.ts.
create table passport_templates (
  id            text collate "C" primary key,
  owner         text           not null,               -- key:NAME, or an anonymous session
  name          text           not null,
  enabled       boolean        not null default true,
  created_at    timestamptz(3) not null default now(),
  changed_at    timestamptz(3) not null default now(),
  used_at       timestamptz(3),                        -- a document was last read with it
  uses          bigint         not null default 0
);

create index passport_templates_by_owner on passport_templates (owner, created_at);

-- What each corrected document teaches. The document may be deleted.
create table passport_lessons (
  document      text collate "C" primary key,
  template      text collate "C" not null references passport_templates (id) on delete cascade,
  lesson        json           not null,
  hashes        integer[]      not null,               -- of the words of the form
  learned_at    timestamptz(3) not null default clock_timestamp()
);

create index passport_lessons_by_template on passport_lessons (template, learned_at);

-- Words of a lesson that a later document on the form does not have. They are used again when that document's lesson is removed.
create table passport_dropped_words (
  lesson        text collate "C" not null references passport_lessons (document) on delete cascade,
  dropped_by    text collate "C" not null references passport_lessons (document) on delete cascade,
  words         integer[]      not null,               -- indices in the lesson
  hashes        integer[]      not null,               -- that no other word of the lesson has
  primary key (lesson, dropped_by)
);

create index passport_dropped_words_by_document on passport_dropped_words (dropped_by);

-- Corrected documents that no worker has learned from yet.
create table passport_corrections (
  document      text collate "C" primary key references passport_documents (id) on delete cascade,
  owner         text           not null,
  edits         bigint         not null default 1,     -- increases with each edit
  added_at      timestamptz    not null default now()
);

create index passport_corrections_by_owner on passport_corrections (owner);

-- When the templates of an owner last changed. Results from before are not reused for the owner's documents.
create table passport_template_owners (
  owner         text           primary key,
  changed_at    timestamptz    not null default clock_timestamp()
);

-- Pages of a document in progress, so that another attempt does not read them again. Deleted when the task ends.
create table passport_read_pages (
  document      text collate "C" not null references passport_documents (id) on delete cascade,
  page          integer  not null,
  reader        text     not null,                     -- engine version and OCR: other readers read the page again
  picture       text collate "C" not null references passport_pictures (key) on delete cascade,
  content       bytea    not null,                     -- gzip (src/services/passports/model/page-storage.ts), at most 1 MiB
  timed_out     boolean  not null,
  primary key (document, page)
);

create index passport_read_pages_by_picture on passport_read_pages (picture);

-- Images of a session that are not yet combined into a PDF.
create table passport_images (
  id            text collate "C" primary key,
  session       text        not null,
  key_name      text,                                  -- null: an anonymous session
  filename      text        not null,
  file_key      text        not null,
  sha256        text        not null,
  size_bytes    bigint      not null,
  content_type  text        not null,
  width         integer     not null,
  height        integer     not null,
  rotation      smallint    not null default 0 check (rotation in (0, 90, 180, 270)),
  created_at    timestamptz not null default now()
);

create index passport_images_by_session on passport_images (session, id);
create index passport_images_by_age on passport_images (created_at);

-- Changes of documents for the sessions' event streams. Writers only append and never wait for each other; the first reader
-- numbers the events of its session (src/services/passports/store/events.ts). Numbering by writers could deadlock workers.
create table passport_events (
  serial              bigint generated always as identity primary key,
  session             text           not null,
  number              bigint,
  kind                text           not null check (kind in ('task', 'deleted')),
  document            text           not null,
  status              text,                            -- of the task; null for a deleted document
  error_code          text,
  previous_status     text,                            -- null for a new document
  previous_error_code text,
  at                  timestamptz(3) not null default clock_timestamp()
);

create unique index passport_events_numbered on passport_events (session, number) where number is not null;
create index passport_events_new on passport_events (session, serial) where number is null;
create index passport_events_by_age on passport_events (at);

create table passport_event_counts (
  session       text        primary key,
  last          bigint      not null default 0,        -- the highest number
  numbered_at   timestamptz not null default now()
);

-- Bytes of documents and waiting images per principal. Triggers only append differences, so that uploads and deletions never
-- wait for each other; cleanup adds up the differences of a principal.
create table passport_bytes (
  serial        bigint generated always as identity primary key,
  principal     text    not null,                      -- key:NAME, or a session
  bytes         bigint  not null,
  folded        boolean not null default false         -- a sum of differences
);

create index passport_bytes_by_principal on passport_bytes (principal) include (bytes);
create index passport_bytes_to_fold on passport_bytes (serial) where not folded;

-- Browser sessions.
create table passport_sessions (
  digest     text collate "C" primary key,             -- of the cookie's value, which is not stored
  created_at timestamptz not null default now(),
  seen_at    timestamptz not null default now()
);

create index passport_sessions_seen on passport_sessions (seen_at);

-- Tokens revoked before they expire.
create table passport_revoked_tokens (
  jti        text collate "C" primary key,
  expires_at timestamptz not null
);

create index passport_revoked_tokens_expired on passport_revoked_tokens (expires_at);

-- Triggers, so that events and counts are correct whichever component changes a row.

create function passport_record_new_document() returns trigger language plpgsql as $$
begin
  insert into passport_files (key, documents) values (new.file_key, 1)
      on conflict (key) do update set documents = passport_files.documents + 1;
  insert into passport_events (session, kind, document, status, error_code)
  select new.session, 'task', new.id, t.status, t.error_code from tasks t where t.id = new.id;
  return null;
end $$;

create trigger record_new_document after insert on passport_documents
  for each row execute function passport_record_new_document();

create function passport_record_document_change() returns trigger language plpgsql as $$
begin
  insert into passport_events (session, kind, document, status, error_code, previous_status, previous_error_code)
  select new.session, 'task', new.id, t.status, t.error_code, t.status, t.error_code from tasks t where t.id = new.id;
  return null;
end $$;

create trigger record_document_change after update of filename, version on passport_documents
  for each row when (old.filename <> new.filename or old.version <> new.version)
  execute function passport_record_document_change();

create function passport_record_document_deletion() returns trigger language plpgsql as $$
begin
  insert into passport_events (session, kind, document) values (old.session, 'deleted', old.id);
  update passport_files set documents = documents - 1 where key = old.file_key;
  with unused as (
    delete from passport_files where key = old.file_key and documents = 0 returning key
  )
  insert into passport_files_to_delete (key)
  select key from unused
  union all
  select p.key from passport_pictures p join unused on unused.key = p.file_key
  union all
  select r.key from passport_readings r join unused on unused.key = r.file_key
      on conflict do nothing;
  return null;
end $$;

create trigger record_document_deletion after delete on passport_documents
  for each row execute function passport_record_document_deletion();

-- Also deletes the read pages of a task that ends, whichever component ends it. Sandbox keys (docs/decisions/0048-sandbox.md) have none.
create function passport_record_status_change() returns trigger language plpgsql as $$
begin
  insert into passport_events (session, kind, document, status, error_code, previous_status, previous_error_code)
  select d.session, 'task', d.id, new.status, new.error_code, old.status, old.error_code
    from passport_documents d
   where d.id = new.id;
  if new.finished_at is not null then
    delete from passport_read_pages where document = new.id;
  end if;
  return null;
end $$;

-- Lease renewals do not set the status, and the condition excludes other services. One trigger, because PostgreSQL parses the
-- condition of each trigger in every statement that changes a task.
create trigger passport_record_status_change after update of status on tasks
  for each row when (new.status <> old.status and new.service in ('passports', 'passports.sandbox'))
  execute function passport_record_status_change();

-- A correction is an event of the document's task.
create function passport_record_correction_event() returns trigger language plpgsql as $$
begin
  insert into unnumbered_task_events (service, principal, task_id, kind, expires_at)
  select t.service, t.principal, t.id, 'corrected', task_event_expiry(t.queued_at, t.expires_at)
    from tasks t
   where t.id = new.id;
  return null;
end $$;

create trigger record_correction_event after update of version on passport_documents
  for each row when (old.version <> new.version) execute function passport_record_correction_event();

create function passport_delete_image_file() returns trigger language plpgsql as $$
begin
  insert into passport_files_to_delete (key) values (old.file_key) on conflict do nothing;
  return null;
end $$;

create trigger delete_image_file after delete on passport_images
  for each row execute function passport_delete_image_file();

create function passport_principal(session text, key_name text) returns text language sql immutable parallel safe as $$
  select coalesce('key:' || key_name, session)
$$;

create function passport_record_bytes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into passport_bytes (principal, bytes)
    values (passport_principal(new.session, new.key_name), new.size_bytes);
  else
    insert into passport_bytes (principal, bytes)
    values (passport_principal(old.session, old.key_name), -old.size_bytes);
  end if;
  return null;
end $$;

create function passport_record_correction() returns trigger language plpgsql as $$
begin
  insert into passport_corrections (document, owner)
  select distinct d.id, passport_principal(d.session, d.key_name) from new_rows n join passport_documents d on d.id = n.document
      on conflict (document) do update set edits = passport_corrections.edits + 1;
  return null;
end $$;

create trigger record_correction after insert on passport_edits
  referencing new table as new_rows for each statement execute function passport_record_correction();

create function passport_record_template_change() returns trigger language plpgsql as $$
begin
  insert into passport_template_owners (owner)
  select coalesce(new.owner, old.owner)
      on conflict (owner) do update set changed_at = clock_timestamp();
  return null;
end $$;

create trigger record_template_change after insert or delete or update of enabled, changed_at on passport_templates
  for each row execute function passport_record_template_change();

create trigger record_bytes after insert or delete on passport_documents
  for each row execute function passport_record_bytes();
create trigger record_bytes after insert or delete on passport_images
  for each row execute function passport_record_bytes();

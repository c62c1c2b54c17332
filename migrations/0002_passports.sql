-- A task that nobody hurries may wait as long as it must.
alter table tasks alter column deadline_at drop not null;

-- What a task of this service is called outside. The same table stands in store/status.ts; a test holds them together.
create function passport_status(status text, error_code text) returns text language sql immutable parallel safe as $$
  select case status
           when 'queued'     then 'PENDING'
           when 'processing' then 'PROCESSING'
           when 'done'       then 'SUCCESS'
           else case
                  when error_code in ('EXTRACTION_INVALID', 'NO_FIELDS_FOUND', 'UNREADABLE_SCAN', 'LLM_INVALID')
                    then 'FAILED'
                  when error_code in ('PDF_ENCRYPTED', 'PDF_CORRUPT', 'PDF_TOO_MANY_PAGES', 'PDF_TOO_COMPLEX',
                                      'UNSUPPORTED_DOCUMENT')
                    then 'PERMANENT_ERROR'
                  else 'ERROR'
                end
         end
$$;

-- Bytes in the file store that nothing refers to any more. They go after the commit that put them here, and a crash in
-- between only makes them wait for the next housekeeping.
create table passport_trash (
  key           text collate "C" primary key,
  since         timestamptz not null default now()
);

-- Stored PDFs. Documents with the same content share one, so it goes with the last of them; its pictures go along.
create table passport_files (
  key           text collate "C" primary key,
  documents     integer     not null
);

create table passport_pictures (
  key           text collate "C" primary key,
  file_key      text collate "C" not null references passport_files (key) on delete cascade
);

create index passport_pictures_by_file on passport_pictures (file_key);

-- A document is a task and what a person made of it: the task's result is what was read, and never changes.
create table passport_documents (
  id            text collate "C" primary key references tasks (id) on delete cascade,
  session       text           not null,          -- a digest of the cookie, or key:NAME
  key_name      text,                             -- the API key that made it; null: made in an anonymous session
  filename      text           not null,
  cached        boolean        not null,
  cache_key     text           not null,
  file_key      text collate "C" not null,
  size_bytes    bigint         not null,
  version       integer        not null default 1,
  created_at    timestamptz(3) not null default now(), -- to the millisecond, so that a client's clock holds it exactly
  changed_at    timestamptz(3) not null default now()
);

create index passport_documents_by_session on passport_documents (session, created_at, id);
create index passport_documents_by_age on passport_documents (created_at, id);
create index passport_documents_by_content on passport_documents (cache_key);
create index passport_documents_by_file on passport_documents (file_key);
create index tasks_passports_ended on tasks (finished_at) where service = 'passports' and finished_at is not null;

-- What people typed over what was read. Nothing is ever changed here: the latest row of a key is its edit, all are its history.
create table passport_edits (
  serial        bigint generated always as identity primary key,
  document      text collate "C" not null references passport_documents (id) on delete cascade,
  key           text           not null,
  was           json           not null,
  became        json           not null,
  actor         text           not null,
  at            timestamptz(3) not null default now()
);

create index passport_edits_latest on passport_edits (document, key, serial);

-- Images that wait in a session to become a PDF.
create table passport_images (
  id            text collate "C" primary key,
  session       text        not null,
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

-- What happened. Whoever makes something happen only appends here and waits for nobody; who reads the events of a session
-- numbers those that have become visible. Numbering at the source would make workers wait for each other, in circles too.
create table passport_events (
  serial        bigint generated always as identity primary key,
  session       text           not null,
  number        bigint,
  kind          text           not null check (kind in ('task', 'deleted')),
  document      text           not null,
  status        text,
  previous      text,
  at            timestamptz(3) not null default clock_timestamp()
);

create unique index passport_events_numbered on passport_events (session, number) where number is not null;
create index passport_events_new on passport_events (session, serial) where number is null;
create index passport_events_by_age on passport_events (at);

create table passport_event_counts (
  session       text        primary key,
  last          bigint      not null default 0,
  asked_at      timestamptz not null default now()
);

-- Events and counts are made where rows change, so it does not matter who changes them: a route, a worker, a sweep.

create function passport_document_came() returns trigger language plpgsql as $$
begin
  insert into passport_files (key, documents) values (new.file_key, 1)
      on conflict (key) do update set documents = passport_files.documents + 1;
  insert into passport_events (session, kind, document, status)
  select new.session, 'task', new.id, passport_status(t.status, t.error_code) from tasks t where t.id = new.id;
  return null;
end $$;

create trigger came after insert on passport_documents
  for each row execute function passport_document_came();

create function passport_document_changed() returns trigger language plpgsql as $$
begin
  insert into passport_events (session, kind, document, status, previous)
  select new.session, 'task', new.id, s, s
    from tasks t, passport_status(t.status, t.error_code) as s
   where t.id = new.id;
  return null;
end $$;

create trigger changed after update of filename, version on passport_documents
  for each row when (old.filename <> new.filename or old.version <> new.version)
  execute function passport_document_changed();

create function passport_document_went() returns trigger language plpgsql as $$
begin
  insert into passport_events (session, kind, document) values (old.session, 'deleted', old.id);
  update passport_files set documents = documents - 1 where key = old.file_key;
  with gone as (
    delete from passport_files where key = old.file_key and documents = 0 returning key
  )
  insert into passport_trash (key)
  select key from gone
  union all
  select p.key from passport_pictures p join gone on gone.key = p.file_key
      on conflict do nothing;
  return null;
end $$;

create trigger went after delete on passport_documents
  for each row execute function passport_document_went();

create function passport_task_moved() returns trigger language plpgsql as $$
declare
  is_now text := passport_status(new.status, new.error_code);
  was    text := passport_status(old.status, old.error_code);
begin
  if is_now <> was then
    insert into passport_events (session, kind, document, status, previous)
    select d.session, 'task', d.id, is_now, was from passport_documents d where d.id = new.id;
  end if;
  return null;
end $$;

-- Renewals do not name these columns and other services' tasks fail the condition: for them it costs nothing to speak of.
create trigger passport_task_moved after update of status, error_code on tasks
  for each row when (new.service = 'passports' and new.status <> old.status)
  execute function passport_task_moved();

create function passport_image_went() returns trigger language plpgsql as $$
begin
  insert into passport_trash (key) values (old.file_key) on conflict do nothing;
  return null;
end $$;

create trigger went after delete on passport_images
  for each row execute function passport_image_went();

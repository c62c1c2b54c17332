-- Uploads that tasks may name (POST /files). The file store has the bytes under the same key.
create table files (
  key           text collate "C" primary key,
  principal     text        not null,
  size_bytes    bigint      not null,
  content_type  text        not null,
  created_at    timestamptz not null default now(),
  expires_at    timestamptz not null,
  leased_until  timestamptz                            -- a process is deleting the file
);

create index files_expiring on files (expires_at);
create index files_by_principal on files (principal);

-- Stored bytes per principal, so that a quota check does not add up all files. Maintained by triggers.
create table file_totals (
  principal     text collate "C" primary key,
  size_bytes    bigint not null
);

create function add_file_totals() returns trigger language plpgsql as $$
begin
  insert into file_totals as t (principal, size_bytes)
  select principal, sum(size_bytes) from added group by principal order by principal
      on conflict (principal) do update set size_bytes = t.size_bytes + excluded.size_bytes;
  return null;
end $$;

-- Locks the sums in order, so that concurrent deletions do not deadlock.
create function subtract_file_totals() returns trigger language plpgsql as $$
begin
  perform from file_totals where principal in (select principal from removed) order by principal for update;
  update file_totals t
     set size_bytes = t.size_bytes - r.size_bytes
    from (select principal, sum(size_bytes) as size_bytes from removed group by principal) r
   where t.principal = r.principal;
  delete from file_totals where principal in (select principal from removed) and size_bytes <= 0;
  return null;
end $$;

create trigger add_file_totals after insert on files referencing new table as added
  for each statement execute function add_file_totals();
create trigger subtract_file_totals after delete on files referencing old table as removed
  for each statement execute function subtract_file_totals();

-- Identifies this database in the marker of its file storage. Has no row until the first sweep, and is not part of backups: a restored database gets a new nonce.
-- Copies of the database (clones, point-in-time restores) have the same nonce until one of them replaces it.
create table file_storage (
  is_only          boolean     primary key default true check (is_only),
  nonce            uuid        not null default gen_random_uuid(),
  next             uuid,       -- replaces the nonce; committed before it is written to the marker
  rotated_at       timestamptz not null default now(),
  since            timestamptz not null default now(), -- the storage has been this database's alone
  databases        int         not null default 1, -- that refer to its files; settings that name fewer delete no file without a row
  allow_many_until timestamptz -- set by an operator: a step may delete many files
);

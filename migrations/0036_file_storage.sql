-- additive
-- Names this database in the marker of its file storage. Has no row until the first sweep, and is not part of backups: a restored database gets a new id.
create table file_storage (
  is_only      boolean     primary key default true check (is_only),
  database_id  uuid        not null default gen_random_uuid(),
  since        timestamptz not null default now()
);

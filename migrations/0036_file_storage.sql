-- additive
-- Identifies this database in the marker of its file storage. Has no row until the first sweep, and is not part of backups: a restored database gets a new nonce.
-- Copies of the database (clones, point-in-time restores) have the same nonce until one of them replaces it.
create table file_storage (
  is_only          boolean     primary key default true check (is_only),
  nonce            uuid        not null default gen_random_uuid(),
  next             uuid,       -- replaces the nonce; committed before it is written to the marker
  rotated_at       timestamptz not null default now(),
  since            timestamptz not null default now(), -- the storage has been this database's alone
  allow_many_until timestamptz -- set by an operator: a step may delete many files
);

-- Tokens and keys that `assay tokens` has issued, beside those of the settings. Only the digest is kept (SHA-256, as hex
-- text): who reads this table cannot use what stands in it. A token that is revoked is a row that has gone.
create table access_tokens (
  service    text collate "C" not null,
  name       text collate "C" not null,
  role       text             not null,
  digest     text collate "C" not null check (digest ~ '^[0-9a-f]{64}$'),
  created_at timestamptz      not null default now(),
  expires_at timestamptz,
  primary key (service, name)
);

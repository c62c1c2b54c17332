-- Tokens and keys issued by `assay tokens`, in addition to those of the settings. Revoking deletes the row.
create table access_tokens (
  service    text collate "C" not null,
  name       text collate "C" not null,
  owner      text,                                     -- of several tokens of one client; null: the token is a client of its own
  role       text             not null,
  digest     text collate "C" not null check (digest ~ '^[0-9a-f]{64}$'), -- SHA-256; the token itself is not stored
  created_at timestamptz      not null default now(),
  expires_at timestamptz,
  primary key (service, name)
);

-- Saved responses by Idempotency-Key. Without a status, the first request is still running.
create table idempotency_keys (
  key           bytea       primary key,
  fingerprint   bytea       not null,
  -- The request that holds the key. It renews the claim while it runs and saves its response in the transaction of its effect.
  claim         uuid,
  claimed_until timestamptz,
  status        smallint,
  body          json,
  created_at    timestamptz not null default now()
);

create index idempotency_keys_created on idempotency_keys (created_at);

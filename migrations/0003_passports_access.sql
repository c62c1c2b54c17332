-- Browsers' sessions. Only the digest of a cookie's value is kept: who reads this table cannot use what stands in it.
create table passport_sessions (
  digest     text collate "C" primary key,
  created_at timestamptz not null default now(),
  seen_at    timestamptz not null default now()
);
create index passport_sessions_seen on passport_sessions (seen_at);

-- Tokens that were given back before their time; a row is of no use once its token has expired.
create table passport_denied_tokens (
  jti        text collate "C" primary key,
  expires_at timestamptz not null
);
create index passport_denied_tokens_expired on passport_denied_tokens (expires_at);

-- What an Idempotency-Key was answered with. A row without a status belongs to a request that still runs.
create table passport_replies (
  key         bytea       primary key,
  fingerprint bytea       not null,
  status      smallint,
  body        json,
  created_at  timestamptz not null default now()
);
create index passport_replies_created on passport_replies (created_at);

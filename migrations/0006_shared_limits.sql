-- Rate limits that several gateways share. What is here counts for a minute and may be lost at any time, so that neither
-- table is written to the log, copied to a standby or put into a backup.

-- The gateways that run, as they beat once a second. One that is alone counts in its own memory and holds no points.
create unlogged table rate_gateways (
  id            text        primary key,
  shares        boolean     not null,               -- whether what it lets through is counted below
  seen_at       timestamptz not null default now()
);

-- How many requests of a client each gateway may let through by itself in any window; what it has let through is a part
-- of that. The points of one client are never more than its limit.
create unlogged table rate_points (
  gateway       text        not null,
  bucket        text        collate "C" not null,   -- a digest of the limiter's name and the client's
  points        integer     not null,
  frees_at      timestamptz,                        -- when the first of those that are used is free again
  kept_until    timestamptz not null,               -- then they are anybody's: their gateway has died
  primary key (bucket, gateway)
);

-- Rate limits that several gateways share (docs/decisions/0019-shared-limits.md). The rows are valid for 90 seconds
-- and may be lost: the tables are unlogged, and backups omit them.

-- Gateways by their heartbeats, one per second. A single gateway counts in its own memory and holds no points.
create unlogged table rate_gateways (
  id            text        primary key,
  shares        boolean     not null,                  -- whether rate_points has its requests
  seen_at       timestamptz not null default now()
);

-- Requests that each gateway may accept from a client in any window, including those it has accepted. The sum for a client
-- never exceeds the client's limit.
create unlogged table rate_points (
  gateway       text        not null,
  bucket        text        collate "C" not null,      -- digest of the limiter's name and the client
  points        integer     not null,
  frees_at      timestamptz,                           -- when the first used point becomes free
  kept_until    timestamptz not null,                  -- then the gateway has died and others may take its points
  primary key (bucket, gateway)
);

-- One table of tasks: to write a task down is to queue it, and its row is also its result.
create table tasks (
  id               text collate "C" primary key,   -- begins with its time, so inserts stay at one edge of the index
  service          text        not null,
  principal        text        not null,           -- who asked: a digest's short name, never a token
  status           text        not null default 'queued' check (status in ('queued', 'processing', 'done', 'failed')),
  priority         smallint    not null default 0, -- 0 realtime, 1 batch; the sweep promotes what has waited too long
  input            json        not null,           -- json, not jsonb: big numbers and \u0000 survive as they came
  estimate_seconds integer     not null,
  request_id       text,
  traceparent      text,
  idempotency_key  bytea,
  fingerprint      bytea,

  queued_at        timestamptz not null default now(),
  run_at           timestamptz not null default now(), -- not to be claimed before
  deadline_at      timestamptz not null,               -- unfinished by then: failed, with time left to read it
  expires_at       timestamptz,                        -- null: kept until somebody deletes it

  -- The lease: who works on it, until when, and which attempt it is. worker and attempts together are the fence.
  worker           text,
  leased_until     timestamptz,
  attempts         smallint    not null default 0,
  started_at       timestamptz,
  progress         real,
  checkpoint       json,

  finished_at      timestamptz,
  processing_ms    integer,
  result           json,
  attachment       json,                           -- belongs to the result, but no poll reads it (heatmaps)
  error_code       text,
  error            text,

  -- When housekeeping has to look at it again: at its deadline, once finished at its expiry. One column, so that one index
  -- serves both and every accept and claim pays for one.
  sweep_at         timestamptz generated always as
                     (case when finished_at is null then least(deadline_at, expires_at) else expires_at end) stored
);

-- What may be claimed, in the order in which it is claimed. Leased and finished rows are not in it, so a claim costs the
-- same over ten rows as over ten million. Depth and promotion read it too, from its front.
create index tasks_waiting on tasks (service, priority, run_at, id) where worker is null and finished_at is null;
create index tasks_leased on tasks (leased_until) where worker is not null;
create index tasks_to_sweep on tasks (sweep_at) where sweep_at is not null;
create unique index tasks_idempotency on tasks (idempotency_key) where idempotency_key is not null;

-- Every accept, claim and finish leaves a dead row version or index entry behind: clean up early and often, in small bites.
alter table tasks set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1, fillfactor = 85);

-- A webhook is born with its task and falls due in the statement that ends the task.
create table deliveries (
  id                   text collate "C" primary key,
  task_id              text collate "C" not null unique references tasks (id) on delete cascade,
  url                  text        not null,
  origin               text        not null,        -- scheme, host and port: what the limit per receiver counts by
  secret               bytea,                       -- sealed; never leaves the deliverer
  state                text        not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  due_at               timestamptz,                 -- null while the task is unfinished, and once the delivery is settled
  leased_until         timestamptz,
  attempts             smallint    not null default 0, -- attempts started
  body                 text,                        -- serialised once, sent unchanged at every attempt
  last_attempt_at      timestamptz,
  delivered_at         timestamptz,
  response_status_code smallint,
  last_error           text
);

create index deliveries_due on deliveries (due_at) where due_at is not null;

-- Heartbeats: how the gateways know which workers live and what they have loaded.
create table workers (
  id            text        primary key,
  role          text        not null,
  service       text,                               -- null for a role that serves all of them
  state         text        not null,               -- loading, warm, stopping
  info          json        not null,               -- what the model says of itself
  metrics       json,                               -- this process's counters, for whoever scrapes a gateway
  started_at    timestamptz not null default now(),
  seen_at       timestamptz not null default now()
);

-- Model versions that workers have said they can serve: what a request may name, also while no worker is awake.
create table models (
  service       text        not null,
  version       text        not null,
  seen_at       timestamptz not null default now(), -- workers say it again and again, so what was removed is forgotten
  primary key (service, version)
);

-- Bytes that the product keeps for its clients (POST /files): uploads that a task may name.
create table files (
  key           text collate "C" primary key,
  principal     text        not null,
  size_bytes    bigint      not null,
  content_type  text        not null,
  created_at    timestamptz not null default now(),
  expires_at    timestamptz not null
);

create index files_expiring on files (expires_at);
create index files_by_principal on files (principal);

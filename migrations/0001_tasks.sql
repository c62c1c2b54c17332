-- The queue and its results: inserting a row queues a task, and the same row later holds its result
-- (docs/decisions/0001-one-table.md). Without check constraints, here and in unnumbered_task_events: PostgreSQL parses their
-- expressions in every statement, which took a tenth of the time of a completion (measured).
create table tasks (
  id               text collate "C" primary key,       -- starts with the time, so that inserts use one end of the index
  service          text        not null,
  principal        text        not null,               -- the credential: the short name of a token's digest, never a token
  owner            text,                               -- the client that shares workers with others; null: `principal`
  status           text        not null default 'queued', -- queued, processing, done, failed
  priority         smallint    not null default 0,     -- 0 realtime, 1 batch; the sweep promotes tasks that wait too long
  input            json        not null,               -- json, not jsonb, which changes large numbers and rejects \u0000
  estimate_seconds integer     not null,
  request_id       text,
  traceparent      text,
  idempotency_key  bytea,
  fingerprint      bytea,

  queued_at        timestamptz not null default now(),
  -- The place in the queue: a virtual time (docs/decisions/0037-fair-scheduling.md). Of a returned task: not claimed before.
  run_at           timestamptz not null default now(),
  deadline_at      timestamptz,                        -- an unfinished task fails then; null: no deadline
  expires_at       timestamptz,                        -- null: kept until it is deleted

  -- The lease. The worker and the number of attempts fence results of earlier attempts.
  worker           text,
  leased_until     timestamptz,
  attempts         smallint    not null default 0,
  claim            integer,                            -- the worker's number of the claim request (return-claims.ts)
  started_at       timestamptz,
  claimed_at       timestamptz,                        -- the start of the current attempt
  attempt_log      jsonb,                              -- attempts with their worker, but that of `ended_by` (docs/decisions/0043-timeline.md)
  ended_by         text,                               -- the worker whose attempt ended the task; that attempt is not in the log
  steps            json,                               -- the times of its steps
  progress         real,
  checkpoint       json,

  -- A task that was requeued keeps its run_at. 'lost' with its worker: claimed alone. 'handed_back' by a worker that did not
  -- use the attempt. `reserved_by` is the worker that claims nothing else until it can claim the lost task.
  returned         text,
  reserved_by      text,
  reserved_until   timestamptz,

  finished_at      timestamptz,
  processing_ms    integer,
  result           json,
  attachment       json,                               -- belongs to the result, but polls do not read it (heatmaps)
  error_code       text,
  error            text,

  -- When the sweep handles the task: at its deadline or, once finished, at its expiry. One column, so that accepts and claims
  -- maintain one index for both.
  sweep_at         timestamptz generated always as
                     (case when finished_at is null then least(deadline_at, expires_at) else expires_at end) stored
);

-- Tasks in the order of claims. Contains no leased and no finished tasks, so that the cost of a claim does not depend on the
-- size of the table.
create index tasks_waiting on tasks (service, priority, run_at, id) where worker is null and finished_at is null;
-- Scans of `tasks_waiting` start at a lower bound (src/tasks/queue-floors.ts), which may be above the requeued tasks.
create index tasks_returned on tasks (service, priority, run_at, id)
  where returned is not null and worker is null and finished_at is null;
create index tasks_batch_waiting_since on tasks (service, queued_at)
  where priority = 1 and worker is null and finished_at is null;
create index tasks_leased on tasks (leased_until) where worker is not null;
create index tasks_to_sweep on tasks (sweep_at) where sweep_at is not null;
create unique index tasks_idempotency on tasks (idempotency_key) where idempotency_key is not null;

-- Every accept, claim and result leaves a dead row version or index entry: vacuum early, often and in small steps.
alter table tasks set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1, fillfactor = 85);

-- Tasks as services may read them in their own statements. They change tasks only through src/tasks.
create view tasks_read_only as
  select id, service, status, input, progress, result, attachment, error_code, started_at, finished_at, expires_at
    from tasks;

-- Fair scheduling between clients: the tags of the last accepted tasks of each client.
create table client_queues (
  service          text        not null,
  priority         smallint    not null,
  owner            text collate "C" not null,
  start            timestamptz not null,
  finish           timestamptz not null,
  primary key (service, priority, owner)
);

-- Every accept updates a row.
alter table client_queues set (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
                               autovacuum_vacuum_cost_delay = 0);

-- Processes and their last heartbeats.
create table workers (
  id            text        primary key,
  role          text        not null,
  service       text,                                  -- null for a role that serves all services
  state         text        not null,                  -- loading, warm, stopping
  info          json        not null,                  -- model details in a format of the service
  metrics       json,                                  -- exported by the gateways
  folded        json,                                  -- the part of `metrics` that departed_metrics contains
  folded_at     timestamptz,
  started_at    timestamptz not null default now(),
  seen_at       timestamptz not null default now()
);

create index workers_seen on workers (seen_at);

-- Model versions that requests may name, also while no worker runs.
create table models (
  service       text        not null,
  version       text        not null,
  seen_at       timestamptz not null default now(),    -- renewed by workers, so that removed versions expire
  details       json,                                  -- figures and classes, in a format of the service
  primary key (service, version)
);

create index models_seen on models (seen_at);

-- Sums of the counters and histograms of processes that have left, so that the sum over all processes never decreases. Labels
-- are names from the code, so there are a few hundred rows.
create table departed_metrics (
  name          text             not null,
  sample        text             not null,             -- the name, or that of a part of the histogram
  labels        jsonb            not null,
  type          text             not null,
  help          text             not null,
  value         double precision not null,
  primary key (name, sample, labels)
);

-- Adds the counters of a process that left, or was not seen for a minute, minus what was added before.
create function fold_metrics() returns trigger language plpgsql as $$
declare
  added json := case tg_op when 'DELETE' then old.metrics else new.folded end;
begin
  lock table departed_metrics in share row exclusive mode; -- so that two concurrent sums do not deadlock
  insert into departed_metrics as d (name, sample, labels, type, help, value)
  select m ->> 'name', coalesce(v ->> 'metricName', m ->> 'name'), (v -> 'labels')::jsonb, min(m ->> 'type'),
         min(m ->> 'help'), sum(part.sign * coalesce((v ->> 'value')::float8, 0))
    from (values (1, added), (-1, old.folded)) as part (sign, metrics),
         json_array_elements(part.metrics) as m,
         json_array_elements(m -> 'values') as v
   where m ->> 'type' in ('counter', 'histogram')
   group by 1, 2, 3
      on conflict (name, sample, labels) do update set value = d.value + excluded.value;
  return null;
end $$;

create trigger fold_metrics_on_delete after delete on workers
  for each row when (old.metrics is not null) execute function fold_metrics();
create trigger fold_metrics_on_update after update of folded on workers
  for each row execute function fold_metrics();

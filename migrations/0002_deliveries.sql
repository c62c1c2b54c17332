-- A webhook delivery is inserted with its task and becomes due in the statement that ends the task.
create table deliveries (
  id                   text collate "C" primary key,
  -- Null after the task has expired while the delivery was still due. Then `expired_task` has the columns that the body and
  -- the headers need, and the last attempt deletes the delivery.
  task_id              text collate "C" unique references tasks (id) on delete cascade,
  expired_task         json,
  principal            text        not null,
  url                  text        not null,
  origin               text        not null,           -- scheme, host and port: the receiver
  secret               bytea,                          -- encrypted
  state                text        not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  due_at               timestamptz,                    -- during an attempt the end of its lease; null: not due
  leased_until         timestamptz,
  attempts             smallint    not null default 0, -- started attempts
  earlier_attempts     smallint,                       -- before the last redelivery, which starts the retry schedule again
  attempt_log          jsonb,                          -- the last attempts (docs/decisions/0036-deliveries.md)
  body                 text,                           -- serialized once and sent unchanged by every attempt
  last_attempt_at      timestamptz,
  delivered_at         timestamptz,
  response_status_code smallint,
  last_error           text
);

-- By client and receiver, so that a claim does not read the backlogs of others.
create index deliveries_due_by_receiver on deliveries (principal, origin, due_at) where due_at is not null;
create index deliveries_due_in_order on deliveries (due_at, id) where due_at is not null;
create index deliveries_by_client on deliveries (principal, state, id);

-- When the next redelivery of a client may start, so that many of them are spread.
create table redelivery_pace (
  principal     text        primary key,
  next_at       timestamptz not null
);

-- Receivers whose last attempts failed, so that one that fails for a day can be paused
-- (docs/decisions/0046-paused-endpoints.md). While it is paused, its deliveries have `due_at` = infinity.
create table webhook_endpoints (
  principal      text        not null,
  origin         text        not null,                  -- as in `deliveries`
  service        text        not null,                  -- of the last failed attempt: its event feed has the pause
  failures       integer     not null default 1,        -- failed attempts since the last success; 0: it works again
  failing_since  timestamptz not null default now(),
  last_failed_at timestamptz not null default now(),
  paused_at      timestamptz,
  resumed_at     timestamptz,                           -- until the held deliveries are released
  primary key (principal, origin)
);

create index webhook_endpoints_paused on webhook_endpoints (last_failed_at) where paused_at is not null;
create index webhook_endpoints_resumed on webhook_endpoints (resumed_at) where resumed_at is not null;

-- Every failed attempt updates a row.
alter table webhook_endpoints set (fillfactor = 50);

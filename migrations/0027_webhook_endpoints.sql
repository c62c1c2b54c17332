-- additive
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

alter table unnumbered_task_events
  add column endpoint text,                             -- of a paused one; `task_id` is that of its last failed delivery
  drop constraint unnumbered_task_events_kind_check,
  add constraint unnumbered_task_events_kind_check check (kind in ('terminal', 'deleted', 'corrected', 'paused')) not valid;

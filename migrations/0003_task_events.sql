-- The event feed (docs/decisions/0034-event-feed.md). Statements that end tasks, and triggers, append events without a number, so
-- that writers never wait for each other; src/tasks/events.ts numbers the committed ones.
create table unnumbered_task_events (
  serial        bigint generated always as identity primary key,
  service       text           not null,
  principal     text           not null,
  task_id       text collate "C" not null,
  kind          text           not null,               -- terminal, deleted, corrected, paused, completed
  status        text,                                  -- of the task; null unless it ended
  error_code    text,
  endpoint      text,                                  -- a paused one; `task_id` is that of its last failed delivery
  batch         json,                                  -- the content of the webhook of a completed batch
  at            timestamptz    not null default clock_timestamp(),
  expires_at    timestamptz    not null
);

alter table unnumbered_task_events set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);

-- Rows become visible in the order of `number` and never change.
create table task_events (
  number        bigint generated always as identity primary key,
  serial        bigint         not null,               -- from which all processes read the start of the unnumbered events
  service       text           not null,
  principal     text           not null,
  task_id       text collate "C" not null,
  kind          text           not null,
  status        text,
  error_code    text,
  endpoint      text,
  batch         json,
  at            timestamptz    not null,
  expires_at    timestamptz    not null
);

create index task_events_by_client on task_events (service, principal, number);
create index task_events_to_delete on task_events (expires_at);

-- The highest deleted number per client: a reader whose cursor is lower has missed events.
create table task_event_floors (
  service       text           not null,
  principal     text           not null,
  number        bigint         not null,
  raised_at     timestamptz    not null default now(),
  primary key (service, principal)
);

-- An event is kept at least as long as the result, whose time starts when the task is queued. A year: for results without expiry.
create function task_event_expiry(queued_at timestamptz, expires_at timestamptz) returns timestamptz language sql stable as $$
  select now() + coalesce(expires_at - queued_at, interval '366 days')
$$;

-- The statements that end tasks record their events (src/tasks/task-rows.ts); a trigger for each row would take longer.
create function record_task_event() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.service not like '%.batches' then
      insert into unnumbered_task_events (service, principal, task_id, kind, expires_at)
      values (old.service, old.principal, old.id, 'deleted', task_event_expiry(old.queued_at, old.expires_at));
    end if;
  else
    insert into unnumbered_task_events (service, principal, task_id, kind, status, error_code, expires_at)
    values (new.service, new.principal, new.id, 'terminal', new.status, new.error_code,
            task_event_expiry(new.queued_at, new.expires_at));
  end if;
  return null;
end $$;

create trigger record_inserted_end after insert on tasks
  for each row when (new.finished_at is not null) execute function record_task_event();
-- The deletion of an expired task creates no event.
create trigger record_deletion after delete on tasks
  for each row when (old.expires_at is null or old.expires_at > now()) execute function record_task_event();

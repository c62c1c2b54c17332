-- additive
-- Corrected transcripts. The result of the task never changes; the edits are the history.
create table transcripts (
  task_id       text collate "C" primary key references tasks (id) on delete cascade,
  version       integer        not null default 0,     -- 0: the result of the task
  segments      json           not null,
  changed_at    timestamptz(3) not null default now(),
  changed_by    text
);

-- Rows never change. Each replaces the segments `removed` of the version before, from `position` on, with `inserted`.
create table transcript_edits (
  task_id       text collate "C" not null references transcripts (task_id) on delete cascade,
  version       integer        not null,
  position      integer        not null,
  removed       json           not null,
  inserted      json           not null,
  bytes         integer        not null,
  actor         text           not null,
  at            timestamptz(3) not null default now(),
  primary key (task_id, version)
);

create function record_transcript_correction() returns trigger language plpgsql as $$
begin
  insert into unnumbered_task_events (service, principal, task_id, kind, expires_at)
  select t.service, t.principal, t.id, 'corrected', task_event_expiry(t.queued_at, t.expires_at)
    from tasks t
   where t.id = new.task_id;
  return null;
end $$;

create trigger record_correction_event after update of version on transcripts
  for each row when (old.version <> new.version) execute function record_transcript_correction();

-- The events of corrections feed the catalog, as those of ended tasks do. Documents are fed by their own triggers.
create or replace function catalog_feed_events() returns trigger language plpgsql as $$
begin
  insert into catalog_feed (service, task_id, at)
  select e.service, e.task_id, e.at
    from new_rows e
    join catalog_sources s on s.service = e.service
   where e.kind = 'terminal' or (e.kind = 'corrected' and e.service <> 'passports')
   order by e.number;
  return null;
end $$;

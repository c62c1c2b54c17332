-- Words that a credential's tasks prefer; one list per service and credential.
create table vocabularies (
  service       text collate "C" not null,
  principal     text collate "C" not null,
  terms         json           not null,
  changed_at    timestamptz    not null default clock_timestamp(),
  primary key (service, principal)
);

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

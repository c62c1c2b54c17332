-- additive
-- Photos whose result a reviewer has confirmed or corrected. They outlive their task: training reads them.
create table defectoscopy_corrected_photos (
  task_id       text collate "C" primary key,
  model_version text           not null,               -- of the result
  network       text,                                  -- SHA-256 of the network that computed `features`
  features      bytea,                                 -- src/ml/compact-vector.ts; null if the version stores none
  version       integer        not null default 0,     -- of the correction
  corrected_at  timestamptz(3) not null default now()
);

create index defectoscopy_corrected_photos_by_age on defectoscopy_corrected_photos (corrected_at);

-- Rows never change: the highest version is the current correction, all rows are the history.
create table defectoscopy_corrections (
  task_id       text collate "C" not null references defectoscopy_corrected_photos (task_id) on delete cascade,
  version       integer        not null,
  surface       text           not null,
  master        text           not null,
  defects       text[]         not null,               -- the main one first
  confirmed     boolean        not null,               -- as the model reported
  actor         text           not null,
  request_id    text,
  at            timestamptz(3) not null default now(),
  primary key (task_id, version)
);

-- A correction is an event of the photo's task.
create function defectoscopy_record_correction_event() returns trigger language plpgsql as $$
begin
  insert into unnumbered_task_events (service, principal, task_id, kind, expires_at)
  select t.service, t.principal, t.id, 'corrected', task_event_expiry(t.queued_at, t.expires_at)
    from tasks t
   where t.id = new.task_id;
  return null;
end $$;

create trigger record_correction_event after update of version on defectoscopy_corrected_photos
  for each row when (old.version <> new.version) execute function defectoscopy_record_correction_event();

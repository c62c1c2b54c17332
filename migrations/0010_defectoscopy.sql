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

-- Which model version answers tasks, and which one only classifies them for comparison. Rows never change: the last one is the state.
create table defectoscopy_deployments (
  id              bigint         generated always as identity primary key,
  action          text           not null check (action in ('promote', 'rollback', 'shadow')),
  default_version text,          -- null: the newest shipped version
  shadow_version  text,
  rolls_back_to   bigint,        -- the deployment whose default a rollback restores; 0: before the first one; null: none
  actor           text           not null,
  at              timestamptz(3) not null default now()
);

-- Photos by the main defect of the default and of the shadow version; '' for none.
create table defectoscopy_shadow_counts (
  day             date           not null,             -- UTC
  shadow_version  text           not null,
  default_version text           not null,
  default_label   text           not null,
  shadow_label    text           not null,
  photos          bigint         not null,
  primary key (day, shadow_version, default_version, default_label, shadow_label)
);

-- The last photos on which the two versions differ.
create table defectoscopy_shadow_differences (
  id              bigint         generated always as identity primary key,
  task_id         text collate "C" not null,
  shadow_version  text           not null,
  default_version text           not null,
  default_label   text           not null,
  shadow_label    text           not null,
  at              timestamptz(3) not null default now()
);

-- Trainings that reviewers request; a worker takes the open one up. The files of a trained version are here, so that each worker can install them.
create table defectoscopy_trainings (
  id           bigint         generated always as identity primary key,
  version      text           not null,
  actor        text           not null,
  requested_at timestamptz(3) not null default now(),
  worker       text,          -- the worker that last took it up
  attempts     integer        not null default 0,
  leased_until timestamptz(3),
  progress     real           not null default 0,
  ended_at     timestamptz(3),
  failure      jsonb,         -- code and message; null: completed, or open
  report       jsonb,         -- the comparison with the shipped version; null: failed, or open
  files        jsonb          -- of the version, by name
);

-- One training at a time.
create unique index defectoscopy_trainings_open on defectoscopy_trainings ((true)) where ended_at is null;

-- additive
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

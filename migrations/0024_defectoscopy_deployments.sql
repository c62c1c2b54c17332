-- additive
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

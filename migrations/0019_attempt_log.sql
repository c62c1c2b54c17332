-- additive
-- The last attempts at a task with their worker, in the row that their statements update anyway
-- (docs/decisions/0043-timeline.md).
alter table tasks
  add column claimed_at  timestamptz,                  -- the start of the current attempt
  add column attempt_log jsonb;

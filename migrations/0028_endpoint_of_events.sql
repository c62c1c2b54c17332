-- additive
-- The paused endpoint of an event of kind `paused`.
alter table task_events add column endpoint text;

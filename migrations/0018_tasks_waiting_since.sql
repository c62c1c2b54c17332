-- additive
-- no transaction
create index concurrently tasks_batch_waiting_since on tasks (service, queued_at) where priority = 1 and worker is null and finished_at is null;

-- additive
-- no transaction
-- Tasks that were given back to the queue, which are few: see 0007_queue.sql.
create index concurrently tasks_returned on tasks (service, priority, run_at, id)
  where returned is not null and worker is null and finished_at is null;

-- The client and the receiver of a delivery: due deliveries are looked up by both (0016_delivery_indexes.sql), so that the
-- backlog of one client is not read to find deliveries of another. Older deliveries count as those of one client. A taken delivery is due again when its
-- lease ends: `due_at` alone decides.
--
-- A delivery that is still due when its task expires is separated from the task's row: `task_id` becomes null and the
-- columns that the body and the headers are made from are kept in `expired_task`. Deleted when the delivery ends.
alter table deliveries
  add column principal text not null default '',
  add column expired_task json,
  alter column task_id drop not null;

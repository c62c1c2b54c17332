-- additive
-- Ended tasks reach the catalog's feed from the events of tasks, when these are numbered: one trigger per ended task instead of
-- two.
create function catalog_feed_events() returns trigger language plpgsql as $$
begin
  insert into catalog_feed (service, task_id, at)
  select e.service, e.task_id, e.at
    from new_rows e
    join catalog_sources s on s.service = e.service
   where e.kind = 'terminal'
   order by e.number;
  return null;
end $$;

create trigger catalog_feed_events after insert on task_events
  referencing new table as new_rows for each statement execute function catalog_feed_events();

drop trigger catalog_feed_finished_task on tasks;
drop trigger catalog_feed_inserted_task on tasks;
drop function catalog_feed_task();

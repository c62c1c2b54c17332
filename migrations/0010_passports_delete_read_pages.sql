-- additive

-- A trigger, so that the pages are deleted whichever component ends the task.
create function passport_delete_read_pages() returns trigger language plpgsql as $$
begin
  delete from passport_read_pages where document = new.id;
  return null;
end $$;

create trigger passport_delete_read_pages after update of finished_at on tasks
  for each row when (new.service = 'passports' and new.finished_at is not null and old.finished_at is null)
  execute function passport_delete_read_pages();

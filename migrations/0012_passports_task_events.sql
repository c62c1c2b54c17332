-- additive
-- A correction is an event of the document's task.
create function passport_record_correction_event() returns trigger language plpgsql as $$
begin
  insert into unnumbered_task_events (service, principal, task_id, kind, expires_at)
  select t.service, t.principal, t.id, 'corrected', task_event_expiry(t.queued_at, t.expires_at)
    from tasks t
   where t.id = new.id;
  return null;
end $$;

create trigger record_correction_event after update of version on passport_documents
  for each row when (old.version <> new.version) execute function passport_record_correction_event();

-- additive
-- The end of a batch is in the feed of the client that lists it, also if its items belong to a session of this client.
create or replace function record_task_event() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.service not like '%.batches' then
      insert into unnumbered_task_events (service, principal, task_id, kind, expires_at)
      values (old.service, old.principal, old.id, 'deleted', task_event_expiry(old.queued_at, old.expires_at));
    end if;
  elsif new.service not like '%.batches' then
    insert into unnumbered_task_events (service, principal, task_id, kind, status, error_code, expires_at)
    values (new.service, new.principal, new.id, 'terminal', new.status, new.error_code,
            task_event_expiry(new.queued_at, new.expires_at));
  -- A retried batch has a start time.
  elsif new.status = 'done' and new.started_at is null then
    insert into unnumbered_task_events (service, principal, task_id, kind, expires_at, batch)
    values (left(new.service, -length('.batches')), new.principal, new.id, 'completed',
            task_event_expiry(new.queued_at, new.expires_at),
            json_build_object('input', new.input::text, 'summary', new.result,
                              'queuedAt', new.queued_at, 'finishedAt', new.finished_at));
  end if;
  return null;
end $$;

-- additive

-- The events of a session for the tasks of sandbox keys (docs/decisions/0048-sandbox.md), as those of other tasks.
create trigger passport_record_sandbox_status_change after update of status, error_code on tasks
  for each row when (new.service = 'passports.sandbox' and new.status <> old.status)
  execute function passport_record_status_change();

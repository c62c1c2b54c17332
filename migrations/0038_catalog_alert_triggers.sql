-- additive
-- Fields change with the result, and `has_report` with the reports.
create trigger note_changed_result after update of result on catalog_details
  for each row when (old.result::text is distinct from new.result::text) execute function catalog_note_change();

create function catalog_note_report() returns trigger language plpgsql as $$
begin
  insert into catalog_changes (number)
  select r.number from catalog_records r where r.record_id = new.record_id and exists (select from catalog_alerts);
  return null;
end $$;

create trigger note_report after insert or update of status on reports
  for each row execute function catalog_note_report();

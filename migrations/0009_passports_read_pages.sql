-- additive

-- Pages of a document in progress, so that another attempt does not read them again. Deleted when the task ends.
create table passport_read_pages (
  document      text collate "C" not null references passport_documents (id) on delete cascade,
  page          integer  not null,
  reader        text     not null,                     -- engine version and OCR: other readers read the page again
  picture       text collate "C" not null references passport_pictures (key) on delete cascade,
  content       bytea    not null,                     -- gzip (src/services/passports/model/page-storage.ts), at most 1 MiB
  timed_out     boolean  not null,
  primary key (document, page)
);

create index passport_read_pages_by_picture on passport_read_pages (picture);

-- A trigger, so that the pages are deleted whichever component ends the task.
create function passport_delete_read_pages() returns trigger language plpgsql as $$
begin
  delete from passport_read_pages where document = new.id;
  return null;
end $$;

create trigger passport_delete_read_pages after update of finished_at on tasks
  for each row when (new.service = 'passports' and new.finished_at is not null and old.finished_at is null)
  execute function passport_delete_read_pages();

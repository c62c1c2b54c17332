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

-- additive
-- The fields of documents and the attributes of imported records, for filters by their presence and their number.
create table catalog_fields (
  number        bigint not null references catalog_records (number) on delete cascade,
  field         text collate "C" not null,             -- section:field of a document, or the name of an attribute
  value         double precision,                      -- null: not a number
  primary key (number, field)
);

create index catalog_fields_by_value on catalog_fields (field, value, number);

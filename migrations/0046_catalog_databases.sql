-- additive
-- The records can be in another database than the feed. A row of the feed is identified by a value that no other database and no
-- restored one repeats.
alter table catalog_feed add column id uuid;
alter table catalog_feed alter column id set default gen_random_uuid();
update catalog_feed set id = gen_random_uuid() where id is null;

-- In the database of the records: rows of feeds whose records are written. An id is added with the records and deleted after its row
-- of the feed, so that a row is indexed once, whichever of the databases or processes fails in between.
create table catalog_indexed_feed_rows (
  id            uuid           primary key,
  at            timestamptz    not null default now()
);

alter table catalog_rebuild add column fed_services text[] not null default '{}'; -- their tasks are in the feed again

-- Services that have been sources: the catalog, perhaps in another database, can have records of their tasks.
create table catalog_past_sources (
  service       text collate "C" primary key
);
insert into catalog_past_sources (service)
select service from catalog_sources union select service from catalog_facet_combinations;

create or replace function catalog_feed_document() returns trigger language plpgsql as $$
begin
  insert into catalog_feed (service, task_id, deleted)
  select 'passports', old.id, tg_op = 'DELETE'
   where exists (select from catalog_sources where service = 'passports')
      -- Deleting a document deletes its record, also after passports has ceased to be a source.
      or (tg_op = 'DELETE' and exists (select from catalog_past_sources where service = 'passports'));
  return null;
end $$;

-- How many databases refer to the files of the storage. A process whose settings name fewer deletes no file without a row.
alter table file_storage add column databases int not null default 1;

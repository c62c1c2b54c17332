-- Bytes stored per principal, so that a quota is checked without adding up all of its files. Triggers keep the sums, so
-- that a gateway of an earlier version keeps them as well.
create table file_totals (
  principal     text collate "C" primary key,
  size_bytes    bigint not null
);

create function files_added() returns trigger language plpgsql as $$
begin
  insert into file_totals as t (principal, size_bytes)
  select principal, sum(size_bytes) from added group by principal order by principal
      on conflict (principal) do update set size_bytes = t.size_bytes + excluded.size_bytes;
  return null;
end $$;

-- Sums are locked in order, so that two removals never wait for each other in a circle.
create function files_removed() returns trigger language plpgsql as $$
begin
  perform from file_totals where principal in (select principal from removed) order by principal for update;
  update file_totals t
     set size_bytes = t.size_bytes - r.size_bytes
    from (select principal, sum(size_bytes) as size_bytes from removed group by principal) r
   where t.principal = r.principal;
  delete from file_totals where principal in (select principal from removed) and size_bytes <= 0;
  return null;
end $$;

create trigger added after insert on files referencing new table as added
  for each statement execute function files_added();
create trigger removed after delete on files referencing old table as removed
  for each statement execute function files_removed();

-- The triggers' locks last until the commit, so no file is missed and none is counted twice.
insert into file_totals (principal, size_bytes) select principal, sum(size_bytes) from files group by principal;

-- Until when one process removes the bytes of a row: processes share the work, and what a crash leaves is taken again.
alter table files add column leased_until timestamptz;
alter table passport_trash add column leased_until timestamptz;
alter table catalog_trash add column leased_until timestamptz;

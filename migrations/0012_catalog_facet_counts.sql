-- additive
-- How many visible records each combination of facet values has, so that facets of a million records are counted without reading
-- the records.
create table catalog_facet_counts (
  facets        integer        primary key references catalog_facet_combinations (id) on delete cascade,
  count         bigint         not null
);

create function catalog_count_facets() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from catalog_facet_counts;
    return null;
  end if;
  execute format(
    'insert into catalog_facet_counts as c (facets, count)
     select facets, sum(change) from (%s) changed where not hidden group by facets having sum(change) <> 0 order by facets
         on conflict (facets) do update set count = c.count + excluded.count',
    case tg_op
      when 'INSERT' then 'select facets, hidden, 1 as change from added'
      when 'DELETE' then 'select facets, hidden, -1 as change from removed'
      else 'select facets, hidden, 1 as change from added union all select facets, hidden, -1 from removed'
    end);
  return null;
end $$;

create trigger catalog_count_inserted after insert on catalog_records
  referencing new table as added for each statement execute function catalog_count_facets();
create trigger catalog_count_updated after update on catalog_records
  referencing new table as added old table as removed for each statement execute function catalog_count_facets();
create trigger catalog_count_deleted after delete on catalog_records
  referencing old table as removed for each statement execute function catalog_count_facets();

create trigger catalog_count_truncated after truncate on catalog_records
  for each statement execute function catalog_count_facets();

insert into catalog_facet_counts (facets, count)
select facets, count(*) from catalog_records where not hidden group by facets;

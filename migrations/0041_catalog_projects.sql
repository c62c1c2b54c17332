-- additive
-- How clients group their tasks: two more facets. Combinations without them keep their digest.
alter table catalog_records add column project text, add column tags text[];
alter table catalog_records alter project set storage main, alter tags set storage main;
alter table catalog_facet_combinations add column project text, add column tags text[] not null default '{}';

create or replace function catalog_set_facets() returns trigger language plpgsql as $$
declare
  names text[] := array(select jsonb_object_keys(new.defects));
  sorted_tags text[] := array(select unnest(new.tags) order by 1);
  combination bytea := sha256(convert_to(
    (jsonb_build_array(new.service, new.status, new.surface, new.master, names)
     || case when new.project is null and new.tags is null then '[]' else jsonb_build_array(new.project, sorted_tags) end
    )::text, 'utf8'));
begin
  select id into new.facets from catalog_facet_combinations where digest = combination;
  if new.facets is null then
    insert into catalog_facet_combinations (digest, service, status, surface, master, defects, project, tags)
    values (combination, new.service, new.status, new.surface, new.master, names, new.project, sorted_tags)
    on conflict (digest) do nothing;
    select id into new.facets from catalog_facet_combinations where digest = combination;
  end if;
  return new;
end $$;

drop trigger catalog_set_facets on catalog_records;
create trigger catalog_set_facets
  before insert or update of service, status, surface, master, defects, project, tags on catalog_records
  for each row execute function catalog_set_facets();

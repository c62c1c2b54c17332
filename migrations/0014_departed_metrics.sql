-- additive
-- Old heartbeats are removed with every new one, and offers with every other: by an index, not by reading the table.
create index workers_seen on workers (seen_at);
create index models_seen on models (seen_at);

-- What processes have counted that left, so that no sum over all processes ever falls. Only counters, and the parts of
-- histograms; labels are names from the code, so there are a few hundred rows.
create table departed_metrics (
  name          text             not null,
  sample        text             not null,   -- the name, or that of a histogram's part
  labels        jsonb            not null,
  type          text             not null,
  help          text             not null,
  value         double precision not null,
  primary key (name, sample, labels)
);

-- How much of `metrics` is in departed_metrics already, and since when. A process that was not seen for a minute counts as
-- departed; if it returns, only what it has counted since is added later.
alter table workers add column folded json, add column folded_at timestamptz;

create function fold_metrics() returns trigger language plpgsql as $$
declare
  added json := case tg_op when 'DELETE' then old.metrics else new.folded end;
begin
  lock table departed_metrics in share row exclusive mode; -- of two at once, one waits and none deadlocks
  insert into departed_metrics as d (name, sample, labels, type, help, value)
  select m ->> 'name', coalesce(v ->> 'metricName', m ->> 'name'), (v -> 'labels')::jsonb, min(m ->> 'type'),
         min(m ->> 'help'), sum(part.sign * coalesce((v ->> 'value')::float8, 0))
    from (values (1, added), (-1, old.folded)) as part (sign, metrics),
         json_array_elements(part.metrics) as m,
         json_array_elements(m -> 'values') as v
   where m ->> 'type' in ('counter', 'histogram')
   group by 1, 2, 3
      on conflict (name, sample, labels) do update set value = d.value + excluded.value;
  return null;
end $$;

create trigger workers_left after delete on workers
  for each row when (old.metrics is not null) execute function fold_metrics();
create trigger workers_folded after update of folded on workers
  for each row execute function fold_metrics();

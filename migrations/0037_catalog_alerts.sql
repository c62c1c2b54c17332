-- additive
-- Alerts of saved views (docs/decisions/0051-alerts.md).
create table catalog_alerts (
  view_id       text collate "C" primary key references catalog_views (id) on delete cascade,
  filters       json           not null,               -- parsed from the view's query
  webhook_url   text,
  secret        bytea,                                 -- encrypted
  since         timestamptz(3) not null default now(),
  since_number  bigint         not null,               -- records up to this number existed
  since_change  bigint         not null,               -- changes up to this serial are not evaluated
  sent          bigint         not null                -- matches up to this position are in a webhook
);

-- Each record once per alert.
create table catalog_matches (
  view_id       text collate "C" not null references catalog_alerts (view_id) on delete cascade,
  number        bigint         not null references catalog_records (number) on delete cascade,
  position      bigint generated always as identity,   -- of announced matches: visible in this order
  announced     boolean        not null,               -- false: matched before the alert was set
  matched_at    timestamptz(3) not null default clock_timestamp(),
  primary key (view_id, number)
);

create index catalog_matches_in_order on catalog_matches (view_id, position) where announced;
create index catalog_matches_by_record on catalog_matches (number);

-- Records that are new or have changed, until the alerts were evaluated.
create table catalog_changes (
  serial        bigint generated always as identity primary key,
  number        bigint         not null
);

create index catalog_changes_by_record on catalog_changes (number);
alter table catalog_changes set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);

create function catalog_note_change() returns trigger language plpgsql as $$
begin
  insert into catalog_changes (number) select new.number where exists (select from catalog_alerts);
  return null;
end $$;

create trigger note_new_record after insert on catalog_records
  for each row execute function catalog_note_change();
create trigger note_changed_record
  after update of created_at, service, status, surface, master, master_conf, defects, top_conf, hidden, search
  on catalog_records for each row
  when (row(old.created_at, old.facets, old.master_conf, old.defects, old.hidden, old.search)
        is distinct from row(new.created_at, new.facets, new.master_conf, new.defects, new.hidden, new.search))
  execute function catalog_note_change();

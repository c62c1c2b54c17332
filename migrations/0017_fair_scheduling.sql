-- additive
-- Fair scheduling between clients (docs/decisions/0037-fair-scheduling.md): `tasks.run_at` is the start tag of a task.
alter table tasks add column owner text; -- the client that shares workers with others; null: `principal`

-- A gateway of the previous version sets no tag: its tasks get the origin of the virtual time and come first.
do $$ begin execute format('alter table tasks alter column run_at set default %L', now()); end $$;

-- The tags of the last accepted tasks of each client.
create table client_queues (
  service       text        not null,
  priority      smallint    not null,
  owner         text collate "C" not null,
  start         timestamptz not null,
  finish        timestamptz not null,
  primary key (service, priority, owner)
);

-- Every accept updates a row.
alter table client_queues set (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
                               autovacuum_vacuum_cost_delay = 0);

alter table access_tokens add column owner text; -- tokens of one client; null: the token is a client of its own

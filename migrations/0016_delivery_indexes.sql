-- no transaction
-- See 0011_deliveries.sql.
create index concurrently deliveries_due_by_receiver on deliveries (principal, origin, due_at) where due_at is not null;
create index concurrently deliveries_due_in_order on deliveries (due_at, id) where due_at is not null;
drop index concurrently if exists deliveries_due;

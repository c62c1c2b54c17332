-- additive
-- no transaction
create index concurrently deliveries_by_client on deliveries (principal, state, id);

-- additive
-- The last attempts of a delivery, in the row that each attempt updates anyway (docs/decisions/0036-deliveries.md).
alter table deliveries add column attempt_log jsonb;
-- The attempts before the last redelivery, which starts the retry schedule again.
alter table deliveries add column earlier_attempts smallint;

-- When the next redelivery of a client may start, so that many of them are spread.
create table redelivery_pace (
  principal     text        primary key,
  next_at       timestamptz not null
);

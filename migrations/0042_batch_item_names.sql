-- additive
-- The path of an item in the archive that it came from.
alter table batch_items add column name text;

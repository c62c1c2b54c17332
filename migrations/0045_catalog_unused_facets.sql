-- additive
-- For the deletion of combinations that no record has any more, also for the check of the foreign key.
create index catalog_records_by_combination on catalog_records (facets);

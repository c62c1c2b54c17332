-- Which request holds an Idempotency-Key, and until when: the request renews the claim while it runs, and writes its answer
-- in the transaction of its effect only while the claim is its own. Rows of an older version have neither.
alter table replies
  add column claim         uuid,
  add column claimed_until timestamptz;

-- Saved views of visitors without a token belong to a cookie, and no longer to a shared address. The owners of earlier
-- views are unknown, so those are removed. `address` is a digest, and bounds what one address saves.
delete from catalog_views where owner like 'address:%';
alter table catalog_views add column address text;
create index catalog_views_by_address on catalog_views (address) where address is not null;

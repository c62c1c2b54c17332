-- additive
-- Thumbnails of stored pictures. The trigger discards a thumbnail when its picture is replaced or deleted.
alter table catalog_records add column thumbnail_key text; -- in the file store; null: made for each request

create function catalog_discard_thumbnail() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.picture_key is not distinct from old.picture_key and new.thumbnail_key is not distinct from old.thumbnail_key then
      return new;
    end if;
    if new.thumbnail_key = old.thumbnail_key then
      new.thumbnail_key := null;
    end if;
  end if;
  if old.thumbnail_key is not null then
    insert into catalog_files_to_delete (key) values (old.thumbnail_key) on conflict do nothing;
  end if;
  return new;
end $$;

create trigger catalog_discard_thumbnail before update of picture_key, thumbnail_key on catalog_records
  for each row when (old.thumbnail_key is not null) execute function catalog_discard_thumbnail();
create trigger catalog_discard_thumbnail_of_deleted after delete on catalog_records
  for each row when (old.thumbnail_key is not null) execute function catalog_discard_thumbnail();

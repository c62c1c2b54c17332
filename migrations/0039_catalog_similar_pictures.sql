-- additive
-- Signatures of the features of photos, for similar pictures: src/ml/feature-signature.ts. They are stored out of line, so that
-- the table of codes, which is read as a whole, is small.
create table catalog_signatures (
  number        bigint primary key references catalog_records (number) on delete cascade,
  version       text           not null,               -- signatures of different versions are not compared
  code          bit(256)       not null,               -- signs of the signature
  signature     bytea          not null                -- signed bytes
);

alter table catalog_signatures set (toast_tuple_target = 128);
alter table catalog_signatures alter signature set storage external;

-- The patterns of stored pictures, for other records of the same photo: src/services/catalog/model/photo-pattern.ts. The trigger
-- queues each stored picture.
create table catalog_photos (
  number        bigint primary key references catalog_records (number) on delete cascade,
  due_at        timestamptz,                           -- null: compared; during an attempt the end of its lease
  hash          bit(138),                              -- null: not compared yet, or without structure
  pattern       bytea,                                 -- 144 signed bytes
  photo         bigint                                 -- equal for records of the same photo; null: no other one is known
);

alter table catalog_photos set (toast_tuple_target = 128);
alter table catalog_photos alter pattern set storage external;
create index catalog_photos_due on catalog_photos (number) where due_at is not null;
create index catalog_photos_same on catalog_photos (photo) where photo is not null;

-- Numbers are not reused: another picture of a record is not the same photo.
create sequence catalog_photo_groups owned by catalog_photos.photo;

create function catalog_queue_photo() returns trigger language plpgsql as $$
begin
  delete from catalog_photos where number = new.number;
  if new.picture_key is not null then
    insert into catalog_photos (number, due_at) values (new.number, now());
  end if;
  return null;
end $$;

create trigger catalog_queue_photo after update of picture_key on catalog_records
  for each row when (new.picture_key is distinct from old.picture_key) execute function catalog_queue_photo();

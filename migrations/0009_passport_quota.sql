-- additive
-- Bytes that each principal of passports holds as documents and as images that wait: an API key, or a session without one.
-- Triggers only append a difference, so that uploads and deletions never wait for each other; housekeeping folds the
-- differences of a principal into one row.
create table passport_bytes (
  serial        bigint generated always as identity primary key,
  principal     text    not null,               -- key:NAME, or a session
  bytes         bigint  not null,
  folded        boolean not null default false
);

create index passport_bytes_by_principal on passport_bytes (principal) include (bytes);
create index passport_bytes_to_fold on passport_bytes (serial) where not folded;

-- Null for images of a session without a key, and for those of the version before.
alter table passport_images add column key_name text;

create function passport_principal(session text, key_name text) returns text language sql immutable parallel safe as $$
  select coalesce('key:' || key_name, session)
$$;

create function passport_bytes_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into passport_bytes (principal, bytes)
    values (passport_principal(new.session, new.key_name), new.size_bytes);
  else
    insert into passport_bytes (principal, bytes)
    values (passport_principal(old.session, old.key_name), -old.size_bytes);
  end if;
  return null;
end $$;

create trigger counted after insert or delete on passport_documents
  for each row execute function passport_bytes_changed();
create trigger counted after insert or delete on passport_images
  for each row execute function passport_bytes_changed();

-- The triggers' locks exclude changes that would be counted twice or not at all.
insert into passport_bytes (principal, bytes, folded)
select principal, sum(size_bytes), true
  from (select passport_principal(session, key_name) as principal, size_bytes from passport_documents
         union all
        select passport_principal(session, key_name), size_bytes from passport_images) as held
 group by principal;

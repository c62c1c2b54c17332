-- additive
-- Words that a credential's tasks prefer; one list per service and credential.
create table vocabularies (
  service       text collate "C" not null,
  principal     text collate "C" not null,
  terms         json           not null,
  changed_at    timestamptz    not null default clock_timestamp(),
  primary key (service, principal)
);

-- additive

-- Confirmations: a person checked all values of a version of a document. Rows never change.
create table passport_confirmations (
  document      text collate "C" not null references passport_documents (id) on delete cascade,
  version       integer        not null,
  actor         text           not null,
  at            timestamptz(3) not null default now(),
  primary key (document, version)
);

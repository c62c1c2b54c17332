-- additive

-- Corrections per field and confidence, of documents that a person corrected or confirmed. Contains no values, and stays when documents
-- are deleted. At most 1,002 rows per engine version and field (src/services/passports/store/quality.ts).
create table passport_quality (
  engine        text     not null,                     -- engine version of the reading
  field         text     not null,                     -- section:field or section:column; empty: counts documents in value_count
  confidence    smallint not null,                     -- in thousandths, rounded down; -1: not measured, or no value was read
  value_count   bigint   not null default 0,           -- values that were read
  corrected     bigint   not null default 0,           -- of these, with another value now
  missed        bigint   not null default 0,           -- values that a person added
  primary key (engine, field, confidence)
);

-- Imports of one account: what was asked for, how far it is, and which batches are committed. They live beside the
-- contacts they load, so that a batch and the record of it are one transaction, also where Citus spreads accounts.

-- Ids count from 1 without gaps: contact ids are made of them and have room for a million (0001-contacts.sql). The insert
-- counts, since Citus has no identity columns of this type.
CREATE TABLE :account.imports (
  id integer PRIMARY KEY,
  name text NOT NULL,
  creator text NOT NULL,
  created_at timestamptz NOT NULL,
  status text NOT NULL,
  phase text,
  phase_progress real NOT NULL DEFAULT 0,
  started_at timestamptz,
  last_activity_at timestamptz,
  cancel_requested boolean NOT NULL DEFAULT false,
  processed_records integer NOT NULL DEFAULT 0,
  total_records integer,
  created_records integer NOT NULL DEFAULT 0,
  updated_records integer NOT NULL DEFAULT 0,
  set_aside_records integer NOT NULL DEFAULT 0,
  purl_status text,
  purl_processed_records integer NOT NULL DEFAULT 0,
  purl_started_at timestamptz,
  purl_last_activity_at timestamptz,
  generate_purl boolean NOT NULL,
  purl_scope text NOT NULL,
  same_purl boolean NOT NULL,
  type_casting boolean NOT NULL,
  auto_export boolean NOT NULL,
  purl_columns text[] NOT NULL,
  dedup_columns text[] NOT NULL,
  latitude_column text,
  longitude_column text,
  notification_emails text[] NOT NULL,
  column_mapping jsonb,
  batch_size integer NOT NULL,
  delimiter text NOT NULL,
  file_path text NOT NULL,
  file_key text NOT NULL,
  file_size bigint NOT NULL,
  header text[] NOT NULL DEFAULT '{}',
  plan jsonb,
  report_key text,
  recovery_count integer NOT NULL DEFAULT 0,
  recovery_error text,
  stalled_attempts integer NOT NULL DEFAULT 0
);

-- Names are unique in the account, without regard to case.
CREATE UNIQUE INDEX imports_name_key ON :account.imports (lower(name));

-- The batches of an import that are committed, each written in the transaction that loaded it. A lane is a share of
-- the contacts that one connection loads (see import-load.service.ts).
CREATE TABLE :account.import_batches (
  import_id integer NOT NULL,
  batch integer NOT NULL,
  lane integer NOT NULL,
  rows integer NOT NULL,
  created integer NOT NULL,
  updated integer NOT NULL,
  PRIMARY KEY (import_id, batch, lane)
);

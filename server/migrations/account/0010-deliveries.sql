-- Files of exports that are handed on, and how that went: what is delivered where, every attempt at it, the keys by which
-- SFTP servers were known, and when files were removed.
ALTER TABLE :account.exports ADD COLUMN should_zip boolean NOT NULL DEFAULT false;

-- Set when the file was removed at the end of its days.
ALTER TABLE :account.exports ADD COLUMN file_removed_at timestamptz;

-- Bytes; null until somebody has asked for them.
ALTER TABLE :account.imports ADD COLUMN report_size bigint;

ALTER TABLE :account.imports ADD COLUMN report_removed_at timestamptz;

CREATE TABLE :account.deliveries (
  id uuid PRIMARY KEY,
  subject_kind text NOT NULL,
  subject_id bigint NOT NULL,
  position integer NOT NULL,
  kind text NOT NULL,
  -- Without secrets; those are in `sealed_secrets`, encrypted.
  settings jsonb NOT NULL,
  sealed_secrets text,
  -- What is handed on; null until it is there.
  file jsonb,
  status text NOT NULL,
  -- What asked for the attempt that comes next or is under way: the job, or a person.
  asked_by text NOT NULL,
  -- Attempts after the first, since the job or a person asked.
  recovery_count integer NOT NULL DEFAULT 0,
  -- All attempts there ever were: the number of the last.
  attempt_count integer NOT NULL DEFAULT 0,
  result text,
  next_attempt_at timestamptz,
  created_at timestamptz NOT NULL
);

-- The deliveries of an export, and a second hand-over of the same is none.
CREATE UNIQUE INDEX deliveries_subject_key ON :account.deliveries (subject_kind, subject_id, position);

CREATE TABLE :account.delivery_attempts (
  delivery_id uuid NOT NULL,
  number integer NOT NULL,
  asked_by text NOT NULL,
  started_at timestamptz NOT NULL,
  -- These are null while it is under way.
  ended_at timestamptz,
  is_ok boolean,
  result text,
  PRIMARY KEY (delivery_id, number)
);

-- The key that an SFTP server showed when it was first reached. Another one later means another server.
CREATE TABLE :account.host_keys (
  host text NOT NULL,
  port integer NOT NULL,
  fingerprint text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  PRIMARY KEY (host, port)
);

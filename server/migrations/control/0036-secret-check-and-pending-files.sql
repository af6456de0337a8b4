-- Tells at each start whether SECRET_KEY is the one that this database's secrets are encrypted with (ADR 0070).
CREATE TABLE portico.secret_check (
  id uuid PRIMARY KEY,
  -- A fixed text, sealed with the key.
  sealed text NOT NULL,
  -- There is one row, also when several processes start at once.
  is_only boolean NOT NULL DEFAULT TRUE UNIQUE CHECK (is_only)
);

-- Files that are being written, or were, until it is clear that a record names them (ADR 0084). One that none names is
-- removed.
CREATE TABLE portico.pending_files (
  storage_key text PRIMARY KEY,
  -- Null for files of no account, such as photos.
  account_id integer REFERENCES portico.accounts (id) ON DELETE CASCADE,
  -- The last time that a process was known to be at work on it.
  seen_at timestamptz NOT NULL
);

-- Finds those that no process is at work on any more.
CREATE INDEX pending_files_seen_at_idx ON portico.pending_files (seen_at);

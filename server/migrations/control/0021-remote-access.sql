-- Remote accesses: pages of other sites and programs read contacts and record events without a sign-in.

-- Counted up with every change of the account's remote accesses or of their indexes, so that what is cached about them is
-- never older than the request that uses it.
ALTER TABLE portico.accounts ADD COLUMN remote_access_version integer NOT NULL DEFAULT 0;

-- Calls by strangers, counted in each process and added up here every second: how the processes share their limits. Empty
-- after a crash of the database, which only starts the limits afresh.
CREATE UNLOGGED TABLE portico.call_counts (
  -- What is counted and for whom: an address, an access.
  key text NOT NULL,
  window_start timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  calls integer NOT NULL,
  PRIMARY KEY (key, window_start)
);

-- Windows that have passed are deleted.
CREATE INDEX call_counts_expires_at_idx ON portico.call_counts (expires_at);

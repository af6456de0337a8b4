-- Reviews: reads of a whole file ahead of its import, which change nothing. Their ids begin above those of imports, as the
-- working tables of both are named by their ids.
CREATE TABLE :account.import_reviews (
  id integer PRIMARY KEY,
  creator text NOT NULL,
  acts_as jsonb,
  created_at timestamptz NOT NULL,
  status text NOT NULL,
  phase text,
  phase_progress real NOT NULL DEFAULT 0,
  last_activity_at timestamptz,
  recovery_count integer NOT NULL DEFAULT 0,
  recovery_error text,
  file_key text NOT NULL,
  settings jsonb NOT NULL,
  outcome jsonb
);

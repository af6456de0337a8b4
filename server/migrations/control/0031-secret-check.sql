-- Tells at each start whether SECRET_KEY is the one that this database's secrets are encrypted with (ADR 0070).
CREATE TABLE portico.secret_check (
  id uuid PRIMARY KEY,
  -- A fixed text, sealed with the key.
  sealed text NOT NULL,
  -- There is one row, also when several processes start at once.
  is_only boolean NOT NULL DEFAULT TRUE UNIQUE CHECK (is_only)
);

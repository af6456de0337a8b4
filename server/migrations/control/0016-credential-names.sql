-- A name to tell API credentials apart by, and the instant from which they no longer authenticate (null: never).
ALTER TABLE portico.api_credentials
  ADD COLUMN name text CHECK (char_length(name) BETWEEN 1 AND 50),
  ADD COLUMN expires_at timestamptz;
UPDATE portico.api_credentials SET name = 'Key ' || number;
ALTER TABLE portico.api_credentials ALTER COLUMN name SET NOT NULL;

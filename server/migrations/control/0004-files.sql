-- Files that people sent to be imported. Each upload has a key of its own in the storage, so a later upload under the
-- same name leaves the file alone that an earlier import refers to.

CREATE TABLE portico.uploads (
  id uuid PRIMARY KEY,
  account_id integer NOT NULL REFERENCES portico.accounts (id),
  file_name text NOT NULL,
  storage_key text NOT NULL,
  content_type text,
  creator text NOT NULL,
  created_at timestamptz NOT NULL,
  -- Both are null until all bytes have arrived.
  size_bytes bigint,
  completed_at timestamptz
);

-- The route that takes the bytes knows an upload by its key.
CREATE UNIQUE INDEX uploads_storage_key_key ON portico.uploads (storage_key);

-- An import names its file: the newest upload of that name in the account.
CREATE INDEX uploads_file_name_idx ON portico.uploads (account_id, file_name, created_at);

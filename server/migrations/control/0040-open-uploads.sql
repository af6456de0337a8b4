-- A search for a file by its name reads the newest complete upload, and a few of which no size is known (ADR 0150).
CREATE INDEX uploads_complete_idx ON portico.uploads (account_id, file_name, created_at DESC, id)
  WHERE size_bytes IS NOT NULL AND removed_at IS NULL;
CREATE INDEX uploads_complete_creator_idx ON portico.uploads (account_id, creator, file_name, created_at DESC, id)
  WHERE size_bytes IS NOT NULL AND removed_at IS NULL;
CREATE INDEX uploads_open_idx ON portico.uploads (account_id, file_name, created_at DESC, id)
  WHERE size_bytes IS NULL AND removed_at IS NULL;
CREATE INDEX uploads_open_creator_idx ON portico.uploads (account_id, creator, created_at)
  WHERE size_bytes IS NULL AND removed_at IS NULL;

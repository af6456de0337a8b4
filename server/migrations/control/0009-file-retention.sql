-- Uploads are removed from the storage when their days are over; the row stays, and says since when.
ALTER TABLE portico.uploads ADD COLUMN removed_at timestamptz;

-- The sweep looks for what is old and still there.
CREATE INDEX uploads_kept_idx ON portico.uploads (account_id, created_at) WHERE removed_at IS NULL;

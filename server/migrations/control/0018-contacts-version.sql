-- Tells whether answers about the contacts still hold. Counted up by imports and deletes with each batch that they commit.
ALTER TABLE portico.accounts ADD COLUMN contacts_version bigint NOT NULL DEFAULT 0;
-- Until then single events may still arrive that no version counts.
ALTER TABLE portico.accounts ADD COLUMN events_until timestamptz;

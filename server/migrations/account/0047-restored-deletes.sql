-- Bulk deletes can be undone for 30 days (ADR 0135).

-- The rows that a bulk delete has taken, as JSON. `source`: their table; or 'fields' for the columns of fields as they were for the
-- contacts after `contact_id`. `place` numbers the rows of a contact.
CREATE TABLE :account.deleted_rows (
  delete_id bigint NOT NULL,
  source text NOT NULL,
  contact_id bigint NOT NULL,
  place integer NOT NULL,
  data jsonb NOT NULL,
  PRIMARY KEY (delete_id, source, contact_id, place)
);

-- Whether there are rows, or why not: 'none' of deletes of earlier releases, 'kept', 'returned', 'erased', 'expired'.
ALTER TABLE :account.deletes ADD COLUMN contents text NOT NULL DEFAULT 'none';
-- How many contacts are kept.
ALTER TABLE :account.deletes ADD COLUMN kept_records bigint NOT NULL DEFAULT 0;
-- The imports by whose rules contacts were recognized when it began.
ALTER TABLE :account.deletes ADD COLUMN binding_imports integer[] NOT NULL DEFAULT '{}';
-- How far it is undone; null where no one has asked for it.
ALTER TABLE :account.deletes ADD COLUMN restore_status text;
ALTER TABLE :account.deletes ADD COLUMN restored_by text;
ALTER TABLE :account.deletes ADD COLUMN restore_requested_at timestamptz;
ALTER TABLE :account.deletes ADD COLUMN restore_activity_at timestamptz;
-- The call that asked for it, judged again before it begins.
ALTER TABLE :account.deletes ADD COLUMN restore_acts_as jsonb;
-- Its position, its figures, and the first of what has not returned.
ALTER TABLE :account.deletes ADD COLUMN restore jsonb;

-- Imports of contacts can be taken back for 30 days (ADR 0127).

-- The values of contacts from before that an import has changed. `before` and `after` have a place for each column of its plan,
-- after three for the keys: latitude, longitude, PURL. `after` is null where the import changed nothing; of a long text it has
-- a digest. The contacts that an import has created are known by their ids. Goes with its contact.
-- By contact first, for deletes of contacts, and for changes of a contact by later imports.
CREATE TABLE :account.import_changes (
  contact_id bigint NOT NULL,
  import_id integer NOT NULL,
  batch integer NOT NULL,
  before text[] NOT NULL,
  after text[] NOT NULL,
  PRIMARY KEY (contact_id, import_id, batch)
);

-- Whether the changes of an import are recorded, which those of earlier releases are not.
ALTER TABLE :account.imports ADD COLUMN records_changes boolean NOT NULL DEFAULT FALSE;
-- How far it is taken back; null where no one has asked for it.
ALTER TABLE :account.imports ADD COLUMN undo_status text;
ALTER TABLE :account.imports ADD COLUMN undone_by text;
ALTER TABLE :account.imports ADD COLUMN undo_requested_at timestamptz;
ALTER TABLE :account.imports ADD COLUMN undo_activity_at timestamptz;
-- The call that asked for it, judged again before it begins.
ALTER TABLE :account.imports ADD COLUMN undo_acts_as jsonb;
-- Its position, its figures, and the first of what it has kept.
ALTER TABLE :account.imports ADD COLUMN undo jsonb;
-- False for an import that was taken back with all of its contacts: its rules bind no later one.
ALTER TABLE :account.imports ADD COLUMN binds boolean NOT NULL DEFAULT TRUE;

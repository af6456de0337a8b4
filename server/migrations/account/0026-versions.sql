-- Settings that are edited in a form have a version, so that a save over a newer one can be refused, and a JSON list of
-- their last ten saves, newest first: who, when, and which fields.
ALTER TABLE :account.remote_accesses ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE :account.remote_accesses ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';
ALTER TABLE :account.import_defaults ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE :account.import_defaults ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';
ALTER TABLE :account.export_settings ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE :account.export_settings ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';
ALTER TABLE :account.filter_settings ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE :account.filter_settings ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';

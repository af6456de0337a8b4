-- People rename fields and choose their format: a field has a version, its last saves, and when it was changed.
ALTER TABLE :account.fields ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE :account.fields ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';
ALTER TABLE :account.fields ADD COLUMN changed_at timestamptz;

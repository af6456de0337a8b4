-- Everything that is edited in a form has a version, so that a save over a newer one can be refused. `saves` is a JSON
-- list of the last ten saves, newest first: who, when, and which fields.
ALTER TABLE portico.policies
  ADD COLUMN version integer NOT NULL DEFAULT 1, ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';
ALTER TABLE portico.groups
  ADD COLUMN version integer NOT NULL DEFAULT 1, ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';
ALTER TABLE portico.identities
  ADD COLUMN version integer NOT NULL DEFAULT 1, ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';
ALTER TABLE portico.persons
  ADD COLUMN version integer NOT NULL DEFAULT 1, ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';
ALTER TABLE portico.saved_filters
  ADD COLUMN version integer NOT NULL DEFAULT 1, ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';
ALTER TABLE portico.crons
  ADD COLUMN version integer NOT NULL DEFAULT 1, ADD COLUMN saves jsonb NOT NULL DEFAULT '[]';
-- Name, time zone and suspension are one form; the preferences are another.
ALTER TABLE portico.accounts
  ADD COLUMN version integer NOT NULL DEFAULT 1, ADD COLUMN saves jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN preferences_version integer NOT NULL DEFAULT 1, ADD COLUMN preferences_saves jsonb NOT NULL DEFAULT '[]';

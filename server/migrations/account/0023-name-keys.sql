-- Names are unique without regard to case by a key that the portal computes, see the control migration of this name. Hosts
-- are stored in one form.
ALTER TABLE :account.fields ADD COLUMN name_key text;
ALTER TABLE :account.imports ADD COLUMN name_key text;
ALTER TABLE :account.exports ADD COLUMN name_key text;
ALTER TABLE :account.indexes ADD COLUMN name_key text;

RUN fillAccountNameKeys;

RUN writeCanonicalHosts;

-- Processes of the release before may still be at work. They give no key.
ALTER TABLE :account.fields ALTER COLUMN name_key SET NOT NULL;
ALTER TABLE :account.fields ALTER COLUMN name_key SET DEFAULT gen_random_uuid()::text;
ALTER TABLE :account.imports ALTER COLUMN name_key SET NOT NULL;
ALTER TABLE :account.imports ALTER COLUMN name_key SET DEFAULT gen_random_uuid()::text;
ALTER TABLE :account.exports ALTER COLUMN name_key SET NOT NULL;
ALTER TABLE :account.exports ALTER COLUMN name_key SET DEFAULT gen_random_uuid()::text;
ALTER TABLE :account.indexes ALTER COLUMN name_key SET NOT NULL;
ALTER TABLE :account.indexes ALTER COLUMN name_key SET DEFAULT gen_random_uuid()::text;

DROP INDEX :account.fields_name_key;
DROP INDEX :account.imports_name_key;
DROP INDEX :account.exports_name_key;
DROP INDEX :account.indexes_name_key;

-- No two imports running at once create the same field.
CREATE UNIQUE INDEX fields_name_key ON :account.fields (name_key);
-- Looked up when a name is chosen.
CREATE UNIQUE INDEX imports_name_key ON :account.imports (name_key);
CREATE UNIQUE INDEX exports_name_key ON :account.exports (name_key);
CREATE UNIQUE INDEX indexes_name_key ON :account.indexes (name_key);

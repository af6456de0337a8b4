-- Names are unique without regard to case by a key that the portal computes (ADR 0082): `lower` depends on the collation of
-- the database, and differs from what the browser and the server compare by.
ALTER TABLE portico.accounts ADD COLUMN name_key text;
ALTER TABLE portico.policies ADD COLUMN name_key text;
ALTER TABLE portico.groups ADD COLUMN name_key text;
ALTER TABLE portico.saved_filters ADD COLUMN name_key text;
ALTER TABLE portico.crons ADD COLUMN name_key text;
-- Of service identities; null for those of persons.
ALTER TABLE portico.identities ADD COLUMN service_name_key text;

RUN fillControlNameKeys;

-- Processes of the release before may still be at work. They give no key.
ALTER TABLE portico.accounts ALTER COLUMN name_key SET NOT NULL;
ALTER TABLE portico.accounts ALTER COLUMN name_key SET DEFAULT gen_random_uuid()::text;
ALTER TABLE portico.policies ALTER COLUMN name_key SET NOT NULL;
ALTER TABLE portico.policies ALTER COLUMN name_key SET DEFAULT gen_random_uuid()::text;
ALTER TABLE portico.groups ALTER COLUMN name_key SET NOT NULL;
ALTER TABLE portico.groups ALTER COLUMN name_key SET DEFAULT gen_random_uuid()::text;
ALTER TABLE portico.saved_filters ALTER COLUMN name_key SET NOT NULL;
ALTER TABLE portico.saved_filters ALTER COLUMN name_key SET DEFAULT gen_random_uuid()::text;
ALTER TABLE portico.crons ALTER COLUMN name_key SET NOT NULL;
ALTER TABLE portico.crons ALTER COLUMN name_key SET DEFAULT gen_random_uuid()::text;

DROP INDEX portico.accounts_name_key;
DROP INDEX portico.policies_name_key;
DROP INDEX portico.groups_name_key;
DROP INDEX portico.saved_filters_name_key;
DROP INDEX portico.crons_name_key;
DROP INDEX portico.identities_service_name_key;

-- Two accounts with the same name could not be told apart; also finds one whose creation was interrupted.
CREATE UNIQUE INDEX accounts_name_key ON portico.accounts (name_key);
-- Unique among those of an owner; looked up before a name is used.
CREATE UNIQUE INDEX policies_name_key ON portico.policies (account_id, name_key) NULLS NOT DISTINCT;
-- The same; every request looks up the group `everyone`.
CREATE UNIQUE INDEX groups_name_key ON portico.groups (account_id, name_key) NULLS NOT DISTINCT;
-- Unique in an account; also its list.
CREATE UNIQUE INDEX saved_filters_name_key ON portico.saved_filters (account_id, name_key);
-- A name is used once among the active crons of a consumer; also lists them by name.
CREATE UNIQUE INDEX crons_name_key ON portico.crons (account_id, consumer, name_key) WHERE terminated_at IS NULL;
-- The audit log names a service identity by its name.
CREATE UNIQUE INDEX identities_service_name_key ON portico.identities (account_id, service_name_key)
  WHERE service_name_key IS NOT NULL;

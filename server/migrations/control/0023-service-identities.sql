-- Service identities: for programs, with a name in place of a person. They belong to an account.

ALTER TABLE portico.identities
  ALTER COLUMN person_id DROP NOT NULL,
  ADD COLUMN service_name text CHECK (char_length(service_name) BETWEEN 1 AND 50),
  ADD CONSTRAINT identities_holder_check CHECK ((person_id IS NULL) <> (service_name IS NULL)),
  ADD CONSTRAINT identities_service_account_check CHECK (service_name IS NULL OR account_id IS NOT NULL),
  DROP CONSTRAINT identities_person_account_key;

-- A person has one identity in an account, and one global one. Each request looks up the identities of its person.
CREATE UNIQUE INDEX identities_person_account_key ON portico.identities (person_id, account_id) NULLS NOT DISTINCT
  WHERE person_id IS NOT NULL;
-- The audit log names a service identity by its name, ignoring case.
CREATE UNIQUE INDEX identities_service_name_key ON portico.identities (account_id, lower(service_name))
  WHERE service_name IS NOT NULL;

-- The caller who created the credential, as in the audit log; null if unknown.
ALTER TABLE portico.api_credentials ADD COLUMN created_by text;
UPDATE portico.api_credentials c SET created_by = a.actor FROM portico.audit_log a
WHERE a.action = 'credential created' AND a.details->>'accessKey' = c.access_key;

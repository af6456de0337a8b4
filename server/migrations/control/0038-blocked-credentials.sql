-- An administrator who switches off a credential of another person blocks it: its owner alone does not switch it on again
-- (ADR 0115). Names them as the audit log does; null if the credential is not blocked.
ALTER TABLE portico.api_credentials ADD COLUMN blocked_by text;
UPDATE portico.api_credentials c SET blocked_by = (
  SELECT CASE WHEN a.actor <> a.subject THEN a.actor END FROM portico.audit_log a
  WHERE a.action = 'credential switched off' AND a.details->>'accessKey' = c.access_key
  ORDER BY a.at DESC LIMIT 1
)
FROM portico.identities i WHERE i.id = c.identity_id AND i.person_id IS NOT NULL AND NOT c.is_active;

-- Entries about changes of contacts named their fields with the values before and after. Who reads the log may not see the
-- contact, and the log outlives it (ADR 0122): they keep the names. Entries are never changed otherwise, so no one waits for this.
UPDATE portico.audit_log SET details = jsonb_set(details, '{fields}', (
  SELECT coalesce(jsonb_agg(name), '[]') FROM jsonb_object_keys(details->'fields') AS name
))
WHERE action IN ('contact edited', 'contact change undone', 'contact added') AND jsonb_typeof(details->'fields') = 'object';

-- Contacts that an identity may see: stages of the filter language. Null for all.
ALTER TABLE portico.identities ADD COLUMN row_rule jsonb;

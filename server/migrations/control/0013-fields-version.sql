-- Counted up with each change of an account's catalogue of fields: whoever has read the catalogue knows whether it still holds.
ALTER TABLE portico.accounts ADD COLUMN fields_version integer NOT NULL DEFAULT 0;

-- The last migration of the account's schema (its file name); null while the account is being created: until then it is
-- neither shown nor entered. Empty for accounts that are older than this column.
ALTER TABLE portico.accounts ADD COLUMN schema_version text COLLATE "C";
UPDATE portico.accounts SET schema_version = '';

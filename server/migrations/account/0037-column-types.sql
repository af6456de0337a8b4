-- Imports remember how the cells of their columns are read, for the next file with this header.
ALTER TABLE :account.imports ADD COLUMN column_types jsonb;

-- Imports know on which line the header of their file begins, and whether columns without a name of their own get one.
ALTER TABLE :account.imports ADD COLUMN header_line integer;
ALTER TABLE :account.imports ADD COLUMN name_columns boolean NOT NULL DEFAULT false;

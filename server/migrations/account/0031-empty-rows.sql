-- Rows of a file that hold white space alone: an import passes over them and shows their number.
ALTER TABLE :account.imports ADD COLUMN empty_records integer NOT NULL DEFAULT 0;

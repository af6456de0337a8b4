-- Files of events: what the rows of an import are, the column of the file that says whose event a row is, and what
-- contacts are found by.
ALTER TABLE :account.imports ADD COLUMN kind text NOT NULL DEFAULT 'contacts';

ALTER TABLE :account.imports ADD COLUMN key_column text;

ALTER TABLE :account.imports ADD COLUMN key_field text;

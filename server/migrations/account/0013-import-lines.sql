-- Where in its file each row of an import is, for whoever looks up where a contact came from. Only the rows are kept
-- whose line does not follow on from the row before: the first, and those after a blank line, after a value of several
-- lines or after a row that was set aside. Up to a thousand of them are one row here, in the order of the file.
CREATE TABLE :account.import_lines (
  import_id integer NOT NULL,
  -- The first of `rows`, counted from 0 as ids of contacts do.
  first_row integer NOT NULL,
  rows integer[] NOT NULL,
  lines integer[] NOT NULL,
  PRIMARY KEY (import_id, first_row)
);

-- What the form of the account's first import starts with. At most one row.
CREATE TABLE :account.import_defaults (
  id integer PRIMARY KEY,
  purl_columns text[] NOT NULL,
  dedup_columns text[] NOT NULL,
  notification_emails text[] NOT NULL,
  CONSTRAINT import_defaults_one CHECK (id = 1)
);

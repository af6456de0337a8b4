-- The account's rules for building filters, once an administrator has chosen. At most one row.
CREATE TABLE :account.filter_settings (
  id integer PRIMARY KEY,
  -- Whether standard filters may use indexed fields only.
  only_indexed_fields boolean NOT NULL,
  CONSTRAINT filter_settings_one CHECK (id = 1)
);

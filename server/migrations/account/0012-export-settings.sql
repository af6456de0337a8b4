-- How files of exports are written, once somebody has chosen. At most one row.
CREATE TABLE :account.export_settings (
  id integer PRIMARY KEY,
  -- Whether an apostrophe stands before text that a spreadsheet would run.
  guard_formulas boolean NOT NULL,
  CONSTRAINT export_settings_one CHECK (id = 1)
);

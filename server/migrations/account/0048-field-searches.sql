-- Searches for parts of texts by their fields, which trigram indexes are made for (ADR 0136). Written once a day for each field.
-- `days`: on how many days the field was searched, without a pause of 90 days.
CREATE TABLE :account.field_searches (
  field integer PRIMARY KEY,
  days integer NOT NULL,
  last_day date NOT NULL
);

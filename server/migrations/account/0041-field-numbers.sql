-- The highest number that a field has had: that of a removed one is not given again, as the history of contacts names fields by it.
CREATE TABLE :account.field_numbers (
  id integer PRIMARY KEY,
  last integer NOT NULL
);
DO $$
BEGIN
  INSERT INTO :account.field_numbers (id, last)
  SELECT 1, greatest(
    (SELECT coalesce(max(id), 0) FROM :account.fields),
    (SELECT coalesce(max((change ->> 'field')::integer), 0)
     FROM :account.contact_changes, jsonb_array_elements(fields) AS change)
  );
END
$$;

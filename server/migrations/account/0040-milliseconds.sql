-- Moments have milliseconds (ADR 0125). Those of earlier releases that have finer parts of a second lose these, as the API,
-- filters, keys and files never had them. One scan of each column; only what has such a moment is written.
DO $$
DECLARE
  field record;
BEGIN
  FOR field IN
    SELECT format(':account.contacts%s', CASE WHEN part > 1 THEN '_' || part END) AS contacts, format('c%s', id) AS moment
    FROM :account.fields WHERE type = 'date'
  LOOP
    BEGIN
      EXECUTE format('UPDATE %1$s SET %2$s = date_trunc(''milliseconds'', %2$s)
        WHERE %2$s <> date_trunc(''milliseconds'', %2$s)', field.contacts, field.moment);
    EXCEPTION WHEN unique_violation THEN
      -- Contacts that a unique index keeps apart by less than a millisecond stay as they are.
      NULL;
    END;
  END LOOP;
END $$;

UPDATE :account.events SET event_date = date_trunc('milliseconds', event_date)
WHERE event_date <> date_trunc('milliseconds', event_date);

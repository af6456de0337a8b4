-- The time zone data that a cron's next due time was computed with, so that it is computed again when those have changed.
ALTER TABLE portico.crons
  -- The time on the clocks of the zone at `next_due_at`, as if they were UTC.
  ADD COLUMN next_clock_time timestamptz,
  -- Version of the data, such as 2026c. Null for crons that are older than this column.
  ADD COLUMN zone_rules text COLLATE "C";

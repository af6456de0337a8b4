-- Accounts take turns (ADR 0103): the next run of the next account is one step in an index.
DROP INDEX portico.schedules_ready_idx;
CREATE INDEX schedules_ready_idx ON portico.schedules (account_id, is_backfill, ready_at, id)
  WHERE status IN ('waiting', 'recovery') AND ready_at IS NOT NULL;
DROP INDEX portico.schedules_email_due_idx;
CREATE INDEX schedules_email_due_idx ON portico.schedules (account_id, cron_id) WHERE is_email_due;

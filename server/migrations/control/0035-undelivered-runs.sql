-- Runs whose file did not arrive have a state of their own, and a due time can be run again (ADR 0091).
ALTER TABLE portico.schedules
  -- Completed, but a delivery has failed for good.
  ADD COLUMN is_undelivered boolean NOT NULL DEFAULT false,
  -- Made for a due time that is past, besides the run that it had (`is_run_now` holds, too).
  ADD COLUMN is_backfill boolean NOT NULL DEFAULT false;
UPDATE portico.schedules SET is_undelivered = true
WHERE status = 'completed' AND comment = 'its file could not be delivered';
-- insertBackfills: a due time is not run again twice at a time.
CREATE UNIQUE INDEX schedules_backfill_key ON portico.schedules (cron_id, due_at)
  WHERE is_backfill AND status IN ('waiting', 'processing', 'recovery');
-- lockReadyRun: runs for due times come before those that make up for past ones.
DROP INDEX portico.schedules_ready_at_idx;
CREATE INDEX schedules_ready_idx ON portico.schedules (is_backfill, ready_at, id)
  WHERE status IN ('waiting', 'recovery') AND ready_at IS NOT NULL;
-- updateRunEnded, updateRunDelivering: the run of a job.
DROP INDEX portico.schedules_job_idx;
CREATE INDEX schedules_job_idx ON portico.schedules (account_id, consumer, job_id) WHERE job_id IS NOT NULL;

-- The scheduler: crons and their runs. Control tables, so that one index finds what is due in any account.
CREATE TABLE portico.crons (
  id uuid PRIMARY KEY,
  account_id integer NOT NULL REFERENCES portico.accounts (id) ON DELETE CASCADE,
  -- Code of the service whose work it is: EXPORT or BI.
  consumer text NOT NULL,
  name text NOT NULL,
  -- Separated by commas, as typed.
  emails text NOT NULL,
  -- The timing as it was sent: an expression of five fields, an IANA zone, days or moments, and a number of due times.
  expression text NOT NULL,
  zone text NOT NULL,
  starts text NOT NULL,
  ends text,
  repeats integer,
  -- Without secrets; those are in `sealed_secrets`, encrypted.
  instruction jsonb NOT NULL,
  transfer jsonb,
  sealed_secrets text,
  -- The identity that saved it last, with whose rights it runs. Null once it is gone: nothing runs until it is taken over.
  identity_id uuid REFERENCES portico.identities (id) ON DELETE SET NULL,
  author text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  terminated_at timestamptz,
  paused_at timestamptz,
  paused_by text,
  pause_reason text,
  -- Due time of the run that is made already; null when none is left. `next_sequence` counts it among all, from 1.
  next_due_at timestamptz,
  next_sequence integer NOT NULL DEFAULT 1,
  -- The last due time that it will have; null without an end.
  last_due_at timestamptz
);

-- A name is used once among the active crons of a consumer; also lists them by name.
CREATE UNIQUE INDEX crons_name_key ON portico.crons (account_id, consumer, lower(name)) WHERE terminated_at IS NULL;
-- All crons of an account.
CREATE INDEX crons_account_id_idx ON portico.crons (account_id, consumer);
-- What is due, in all accounts.
CREATE INDEX crons_next_due_at_idx ON portico.crons (next_due_at) WHERE terminated_at IS NULL AND next_due_at IS NOT NULL;
-- When an identity is deleted.
CREATE INDEX crons_identity_id_idx ON portico.crons (identity_id);

-- The runs of crons, each for a due time or started by hand. Kept for 400 days.
CREATE TABLE portico.schedules (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL REFERENCES portico.accounts (id) ON DELETE CASCADE,
  cron_id uuid NOT NULL REFERENCES portico.crons (id) ON DELETE CASCADE,
  consumer text NOT NULL,
  due_at timestamptz NOT NULL,
  is_run_now boolean NOT NULL DEFAULT false,
  -- Counts the due times of the cron, from 1; null for Run now.
  sequence integer,
  -- waiting, processing, recovery, completed or terminated.
  status text NOT NULL,
  -- When it may start; null while it is not due. Moved on after a failed attempt.
  ready_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  recovery_count integer NOT NULL DEFAULT 0,
  -- [{startedAt, endedAt, status, processedRecords, error}], the first attempt first.
  attempts jsonb NOT NULL DEFAULT '[]',
  processed_records bigint,
  -- The job that it started, of the consumer's kind.
  job_id bigint,
  -- In words for users: why it was terminated, or ran late.
  comment text,
  -- skipped, missed or overlapping: it did not run at all.
  omission text,
  -- The recipients of the cron are still to be told about it.
  is_email_due boolean NOT NULL DEFAULT false,
  -- The deliveries of its file have not all ended, as far as is known.
  is_delivering boolean NOT NULL DEFAULT false
);

-- One run for each due time, whatever number of workers makes it; and the runs of a cron.
CREATE UNIQUE INDEX schedules_due_key ON portico.schedules (cron_id, due_at) WHERE NOT is_run_now;
-- Never two runs of a cron at once.
CREATE UNIQUE INDEX schedules_processing_key ON portico.schedules (cron_id) WHERE status = 'processing';
-- Runs to start, and the unended runs of a cron.
CREATE INDEX schedules_ready_at_idx ON portico.schedules (ready_at) WHERE status IN ('waiting', 'recovery') AND ready_at IS NOT NULL;
CREATE INDEX schedules_unended_idx ON portico.schedules (cron_id) WHERE status IN ('waiting', 'processing', 'recovery');
-- The run of a job that ends, and running ones that are compared with their jobs.
CREATE INDEX schedules_job_idx ON portico.schedules (account_id, consumer, job_id) WHERE status = 'processing';
-- The calendar.
CREATE INDEX schedules_calendar_idx ON portico.schedules (account_id, consumer, due_at);
-- The last run of a cron.
CREATE INDEX schedules_cron_ended_idx ON portico.schedules (cron_id, ended_at DESC) WHERE ended_at IS NOT NULL;
-- Runs that did not start, for recent activity.
CREATE INDEX schedules_failed_idx ON portico.schedules (account_id, consumer, ended_at DESC)
  WHERE status = 'terminated' AND job_id IS NULL AND omission IS DISTINCT FROM 'skipped';
-- Emails to send, and deliveries to watch.
CREATE INDEX schedules_email_due_idx ON portico.schedules (id) WHERE is_email_due;
CREATE INDEX schedules_delivering_idx ON portico.schedules (id) WHERE is_delivering;
-- Runs that are too old to keep.
CREATE INDEX schedules_due_at_idx ON portico.schedules (due_at);

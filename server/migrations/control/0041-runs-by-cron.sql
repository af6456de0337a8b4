-- The runs that one email tells of, latest first, and a step from account to account (ADR 0138).
DROP INDEX portico.schedules_email_due_idx;
CREATE INDEX schedules_email_due_idx ON portico.schedules (account_id, cron_id, due_at DESC) WHERE is_email_due;

-- How an action was done: by a session, an API credential (which), an impersonation link (whose), a cron (which), the
-- portal itself or the command line. Null in lines written before. `count` and `coalesce_key`: one line stands for equal
-- failures of the same minute; the key is null for all other lines.
ALTER TABLE portico.audit_log
  ADD COLUMN via text,
  ADD COLUMN via_name text,
  ADD COLUMN count integer NOT NULL DEFAULT 1,
  ADD COLUMN coalesce_key text;
-- For adding to the line of this minute.
CREATE UNIQUE INDEX audit_log_coalesce_key_key ON portico.audit_log (coalesce_key) WHERE coalesce_key IS NOT NULL;
-- For the filter by means: in an account, and in all.
CREATE INDEX audit_log_account_id_via_idx ON portico.audit_log (account_id, via, at, id);
CREATE INDEX audit_log_via_idx ON portico.audit_log (via, at, id);

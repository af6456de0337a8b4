-- Emails sent on behalf of an account, by day (UTC): how all processes share its daily number.
CREATE TABLE portico.mail_counts (
  account_id integer NOT NULL REFERENCES portico.accounts (id) ON DELETE CASCADE,
  -- What is counted: emails, or mails that verify a sender.
  kind text NOT NULL,
  day date NOT NULL,
  sent integer NOT NULL,
  -- When the account's power users were emailed that no more are sent.
  told_at timestamptz,
  PRIMARY KEY (account_id, kind, day)
);

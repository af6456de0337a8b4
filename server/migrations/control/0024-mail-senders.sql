-- Addresses that an account may send emails from, each confirmed by the owner of its mailbox.
CREATE TABLE portico.mail_senders (
  id uuid PRIMARY KEY,
  account_id integer NOT NULL REFERENCES portico.accounts (id) ON DELETE CASCADE,
  -- In lower case.
  address text NOT NULL,
  requested_by text NOT NULL,
  requested_at timestamptz NOT NULL,
  -- Of the link in the latest mail. Both are null before it is sent, and once it was used.
  secret_hash text,
  expires_at timestamptz,
  verified_at timestamptz,
  -- Since then, notifications from this address fail, until it is verified again.
  removed_at timestamptz
);

-- The list of an account, and the check of one address.
CREATE UNIQUE INDEX mail_senders_address_key ON portico.mail_senders (account_id, address);
-- The link in a mail.
CREATE UNIQUE INDEX mail_senders_secret_hash_key ON portico.mail_senders (secret_hash);

-- What limits an identity, what else one can sign in with, and what concerns a person's own sign-in.

-- Nobody but power admins enters a suspended account.
ALTER TABLE portico.accounts ADD COLUMN suspended_at timestamptz;

-- What the account calls the person, who may have chosen a name of their own.
ALTER TABLE portico.identities ADD COLUMN user_name text;
-- On which days (`mon` to `sun`), in which hours (0 to 23, both in the account's time zone) and from which addresses
-- (CIDR) the identity counts. An empty list is no limit; an effect of `nin` turns its list around.
ALTER TABLE portico.identities ADD COLUMN days text[] NOT NULL DEFAULT '{}';
ALTER TABLE portico.identities ADD COLUMN days_effect text CHECK (days_effect IN ('in', 'nin'));
ALTER TABLE portico.identities ADD COLUMN hours integer[] NOT NULL DEFAULT '{}';
ALTER TABLE portico.identities ADD COLUMN hours_effect text CHECK (hours_effect IN ('in', 'nin'));
ALTER TABLE portico.identities ADD COLUMN cidr text;

-- The identities of an account, for its list.
CREATE INDEX identities_account_id_idx ON portico.identities (account_id);
-- Which identities belong to a group, which groups hold a policy: whether one can be deleted.
CREATE INDEX identity_groups_group_id_idx ON portico.identity_groups (group_id);
CREATE INDEX group_policies_policy_id_idx ON portico.group_policies (policy_id);

-- What programs sign in with. The secret is random, so a plain SHA-256 of it is enough to recognise it by.
CREATE TABLE portico.api_credentials (
  identity_id uuid NOT NULL REFERENCES portico.identities (id) ON DELETE CASCADE,
  number integer NOT NULL,
  access_key text NOT NULL,
  secret_hash text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz,
  PRIMARY KEY (identity_id, number)
);

-- Each request of a program names its key.
CREATE UNIQUE INDEX api_credentials_access_key_key ON portico.api_credentials (access_key);

-- Links that open the portal with chosen rights of a person in one account, from one address. `policies` null stands
-- for all of them.
CREATE TABLE portico.impersonations (
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES portico.persons (id) ON DELETE CASCADE,
  account_id integer NOT NULL REFERENCES portico.accounts (id),
  address text NOT NULL,
  policies text[],
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  last_used_at timestamptz
);

-- The live links of an account.
CREATE INDEX impersonations_account_id_idx ON portico.impersonations (account_id, expires_at);

ALTER TABLE portico.persons ADD COLUMN password_changed_at timestamptz;
ALTER TABLE portico.persons ADD COLUMN last_sign_in_at timestamptz;
-- The secret of the authenticator app, encrypted. It counts from the moment on that a code of it was confirmed; the step
-- of the last code taken keeps it from being used twice.
ALTER TABLE portico.persons ADD COLUMN two_factor_secret text;
ALTER TABLE portico.persons ADD COLUMN two_factor_since timestamptz;
ALTER TABLE portico.persons ADD COLUMN two_factor_last_step bigint;

CREATE TABLE portico.recovery_codes (
  person_id uuid NOT NULL REFERENCES portico.persons (id) ON DELETE CASCADE,
  code_hash text NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (person_id, code_hash)
);

-- Single-use links that go out by e-mail; only the hash of their secret is kept.
CREATE TABLE portico.person_links (
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES portico.persons (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('invitation', 'password reset')),
  secret_hash text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);

CREATE UNIQUE INDEX person_links_secret_hash_key ON portico.person_links (secret_hash);
-- A new link of a kind replaces the person's old one.
CREATE INDEX person_links_person_id_idx ON portico.person_links (person_id, kind);

-- The audit log is read newest first, of one account or of all.
CREATE INDEX audit_log_account_id_idx ON portico.audit_log (account_id, at, id);
CREATE INDEX audit_log_at_idx ON portico.audit_log (at, id);

-- Failures from one address, whatever the e-mails, slow the address down.
CREATE INDEX login_failures_address_idx ON portico.login_failures (address, failed_at);

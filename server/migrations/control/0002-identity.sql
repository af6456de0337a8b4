-- Who may sign in, what they may do in which account, and what they are signed in with.

-- Menu visibility lists by menu name, and the minutes without a request that end a session in this account.
ALTER TABLE portico.accounts ADD COLUMN menus jsonb NOT NULL DEFAULT '{"home": [], "dashboards": [], "campaigns": [], "assets": [], "crm": [], "marketintel": [], "contactservice": [], "settings": []}';
ALTER TABLE portico.accounts ADD COLUMN timeout_minutes integer NOT NULL DEFAULT 30;

-- Somebody who can sign in: one e-mail, one password, however many accounts.
-- `password_hash` is argon2id, null until the person has chosen a password.
CREATE TABLE portico.persons (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  password_hash text,
  user_name text,
  photo_url text,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A person is found by e-mail, whatever its letter case, when signing in and when an identity is made.
CREATE UNIQUE INDEX persons_email_key ON portico.persons (lower(email));

-- What a person is in one account, or everywhere (`account_id` null, '*' on the wire).
-- The constraint's index also finds all identities of a person, which every request needs.
CREATE TABLE portico.identities (
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES portico.persons (id) ON DELETE CASCADE,
  account_id integer REFERENCES portico.accounts (id),
  access_to_all_sub_accounts boolean NOT NULL DEFAULT false,
  is_disabled boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT identities_person_account_key UNIQUE NULLS NOT DISTINCT (person_id, account_id)
);

-- A set of actions (`microservice::resource::method`), owned by an account or by nobody: then it is global.
-- It holds where its conditions (`option::key::operator::value`), joined by `condition_logic`, do.
CREATE TABLE portico.policies (
  id uuid PRIMARY KEY,
  account_id integer REFERENCES portico.accounts (id),
  name text NOT NULL,
  is_admin boolean NOT NULL DEFAULT false,
  actions text[] NOT NULL,
  conditions text[] NOT NULL DEFAULT '{}',
  condition_logic text NOT NULL DEFAULT 'and' CHECK (condition_logic IN ('and', 'or'))
);

-- A policy's name is unique among those of its owner, ignoring case.
CREATE UNIQUE INDEX policies_name_key ON portico.policies (account_id, lower(name)) NULLS NOT DISTINCT;

-- A bundle of policies that identities belong to, owned by an account or global.
CREATE TABLE portico.groups (
  id uuid PRIMARY KEY,
  account_id integer REFERENCES portico.accounts (id),
  name text NOT NULL,
  is_admin boolean NOT NULL DEFAULT false
);

-- A group's name is unique among those of its owner, ignoring case; every request looks up the group `everyone`.
CREATE UNIQUE INDEX groups_name_key ON portico.groups (account_id, lower(name)) NULLS NOT DISTINCT;

CREATE TABLE portico.group_policies (
  group_id uuid NOT NULL REFERENCES portico.groups (id) ON DELETE CASCADE,
  policy_id uuid NOT NULL REFERENCES portico.policies (id),
  PRIMARY KEY (group_id, policy_id)
);

CREATE TABLE portico.identity_groups (
  identity_id uuid NOT NULL REFERENCES portico.identities (id) ON DELETE CASCADE,
  group_id uuid NOT NULL REFERENCES portico.groups (id),
  PRIMARY KEY (identity_id, group_id)
);

-- What every installation starts with. The ids are known to the code.
INSERT INTO portico.policies (id, account_id, name, is_admin, actions) VALUES
  ('00000000-0000-4000-8000-000000000001', NULL, 'Administration', true, '{*::*::*}'),
  ('00000000-0000-4000-8000-000000000002', NULL, 'Full access', false, '{*::*::*}');
INSERT INTO portico.groups (id, account_id, name, is_admin) VALUES
  ('00000000-0000-4000-8000-000000000001', NULL, 'Administrators', true),
  ('00000000-0000-4000-8000-000000000002', NULL, 'Power users', false),
  ('00000000-0000-4000-8000-000000000003', NULL, 'everyone', false);
INSERT INTO portico.group_policies (group_id, policy_id) VALUES
  ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000001'),
  ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000002');

-- One row a sign-in. Tokens name it, so that it can be ended before they expire.
CREATE TABLE portico.sessions (
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES portico.persons (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  address text NOT NULL,
  device text NOT NULL
);

-- Each sign-in removes the person's sessions that ended long ago.
CREATE INDEX sessions_person_id_idx ON portico.sessions (person_id);

-- Attempts to sign in that have not succeeded. `email` is in lower case.
CREATE TABLE portico.login_failures (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  address text NOT NULL,
  failed_at timestamptz NOT NULL
);

-- Each attempt counts the failures of its pair of e-mail and address.
CREATE INDEX login_failures_pair_idx ON portico.login_failures (email, address, failed_at);

-- Each failure removes those that no longer count.
CREATE INDEX login_failures_failed_at_idx ON portico.login_failures (failed_at);

-- Dashboards: who sees them, and their versions. Control tables, since a dashboard can be shared with other accounts. They
-- hold questions about contacts, never answers.
CREATE TABLE portico.dashboards (
  id uuid PRIMARY KEY,
  -- The account that it was made in, where alone it can be changed.
  account_id integer NOT NULL REFERENCES portico.accounts (id) ON DELETE CASCADE,
  -- Null once the person is gone: then it waits for an administrator to take it over.
  author_id uuid REFERENCES portico.persons (id) ON DELETE SET NULL,
  name text NOT NULL,
  tags text[] NOT NULL,
  -- Whom it is shared with: the people who match all three, each null for everyone. Emails are in lower case.
  shared_parents integer[],
  shared_accounts integer[],
  shared_users text[],
  -- The current one of its versions.
  version integer NOT NULL,
  created_at timestamptz NOT NULL
);

-- Dashboards of an account: their list, and their number when one is added.
CREATE INDEX dashboards_account_id_idx ON portico.dashboards (account_id);
-- Dashboards of other accounts that are shared with an account by its number, with its parent, or with all: their list.
CREATE INDEX dashboards_shared_accounts_idx ON portico.dashboards USING gin (shared_accounts);
CREATE INDEX dashboards_shared_parents_idx ON portico.dashboards USING gin (shared_parents) WHERE shared_accounts IS NULL;
CREATE INDEX dashboards_shared_with_all_idx ON portico.dashboards (id)
  WHERE shared_accounts IS NULL AND shared_parents IS NULL;

-- What a dashboard showed after each save. The primary key also finds the current version and the last ones.
CREATE TABLE portico.dashboard_versions (
  dashboard_id uuid NOT NULL REFERENCES portico.dashboards (id) ON DELETE CASCADE,
  version integer NOT NULL,
  name text NOT NULL,
  tags text[] NOT NULL,
  -- JSON: rows of cells.
  definition text NOT NULL,
  -- Null once the person is gone.
  saved_by uuid REFERENCES portico.persons (id) ON DELETE SET NULL,
  saved_at timestamptz NOT NULL,
  -- What changed, in words.
  changes text NOT NULL,
  PRIMARY KEY (dashboard_id, version)
);

-- Dashboards that a person has marked. The primary key tells it in lists, and removes the marks with the dashboard.
CREATE TABLE portico.dashboard_favourites (
  dashboard_id uuid NOT NULL REFERENCES portico.dashboards (id) ON DELETE CASCADE,
  person_id uuid NOT NULL REFERENCES portico.persons (id) ON DELETE CASCADE,
  PRIMARY KEY (dashboard_id, person_id)
);

-- Dashboards: the questions they ask, who may see them, and their versions. Control tables, since sharing reaches across
-- accounts. They never hold data of contacts.
CREATE TABLE portico.dashboards (
  id uuid PRIMARY KEY,
  -- The account it was made in.
  account_id integer NOT NULL REFERENCES portico.accounts (id) ON DELETE CASCADE,
  -- Null once the person is gone.
  author_id uuid REFERENCES portico.persons (id) ON DELETE SET NULL,
  name text NOT NULL,
  tags text[] NOT NULL,
  -- The people it is shared with match all three; null is everyone. Parents, accounts, emails in lower case.
  shared_parents integer[],
  shared_accounts integer[],
  shared_users text[],
  -- JSON, with the keys in the order in which they were given.
  definition text NOT NULL,
  version integer NOT NULL,
  -- The person who saved this version.
  saved_by uuid REFERENCES portico.persons (id) ON DELETE SET NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- The dashboards of an account, and those that others share with it: by account, by its parent, with all.
CREATE INDEX dashboards_account_idx ON portico.dashboards (account_id);
CREATE INDEX dashboards_shared_accounts_idx ON portico.dashboards USING gin (shared_accounts);
CREATE INDEX dashboards_shared_with_all_idx ON portico.dashboards USING gin (shared_parents) WHERE shared_accounts IS NULL;
CREATE INDEX dashboards_shared_everywhere_idx ON portico.dashboards (id) WHERE shared_accounts IS NULL AND shared_parents IS NULL;
CREATE INDEX dashboards_author_idx ON portico.dashboards (author_id);
CREATE INDEX dashboards_saved_by_idx ON portico.dashboards (saved_by);

-- The last versions of each, the current one included.
CREATE TABLE portico.dashboard_versions (
  dashboard_id uuid NOT NULL REFERENCES portico.dashboards (id) ON DELETE CASCADE,
  version integer NOT NULL,
  name text NOT NULL,
  tags text[] NOT NULL,
  definition text NOT NULL,
  -- Email.
  saved_by text NOT NULL,
  saved_at timestamptz NOT NULL,
  -- In words.
  changes text NOT NULL,
  PRIMARY KEY (dashboard_id, version)
);

CREATE TABLE portico.dashboard_favourites (
  person_id uuid NOT NULL REFERENCES portico.persons (id) ON DELETE CASCADE,
  dashboard_id uuid NOT NULL REFERENCES portico.dashboards (id) ON DELETE CASCADE,
  PRIMARY KEY (person_id, dashboard_id)
);
CREATE INDEX dashboard_favourites_dashboard_idx ON portico.dashboard_favourites (dashboard_id);

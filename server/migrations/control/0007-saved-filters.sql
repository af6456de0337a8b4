-- Filters kept under a name. A control table, since sub-accounts read what their parent account shows them (ADR 0031).
CREATE TABLE portico.saved_filters (
  id uuid PRIMARY KEY,
  account_id integer NOT NULL REFERENCES portico.accounts (id) ON DELETE CASCADE,
  name text NOT NULL,
  -- JSON array of stages, as it was given.
  aggregate_query text NOT NULL,
  show_in_subaccounts boolean NOT NULL,
  creator text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

-- Names are unique in an account, without regard to case; the list of an account and of its sub-accounts.
CREATE UNIQUE INDEX saved_filters_name_key ON portico.saved_filters (account_id, lower(name));

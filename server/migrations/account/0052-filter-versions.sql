-- Versions of the account's saved filters, so that an earlier one can be restored (ADR 0143). The last 20 of each are kept. Filters
-- of earlier releases get theirs with the next save.
CREATE TABLE :account.saved_filter_versions (
  filter_id uuid NOT NULL,
  version integer NOT NULL,
  name text NOT NULL,
  aggregate_query text NOT NULL,
  show_in_subaccounts boolean NOT NULL,
  saved_by text NOT NULL,
  saved_at timestamptz NOT NULL,
  PRIMARY KEY (filter_id, version)
);

-- Names of custom event fields that pages of other sites have sent and that no person has added yet. Their values are not
-- recorded. Read by name when a page sends one, and as a list of at most 200.
CREATE TABLE :account.offered_event_fields (
  name text PRIMARY KEY,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL
);

-- Who changed what, when and from where. Rows are only ever added. `account_id` is null for what concerns all accounts;
-- it has no foreign key, since the log outlives what it tells of.
CREATE TABLE portico.audit_log (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  account_id integer,
  at timestamptz NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  details jsonb NOT NULL,
  address text
);

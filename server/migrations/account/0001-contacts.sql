-- The contacts of one account. `:account` is replaced by the name of the account's schema.
-- Written for PostgreSQL with and without Citus (ADR 0004): no foreign keys to control tables, no triggers,
-- a primary key everywhere, one change a statement.

-- The field catalogue: what a user calls a column of contact data, and the physical column that holds it. Physical
-- columns are named by number, since a header may be any text of up to 200 characters.
-- Columns are spread over several tables of at most 300 (`part`): PostgreSQL keeps a row within one 8 kB page, and
-- 300 columns fit whatever they hold (ADR 0006).
CREATE TABLE :account.fields (
  id integer PRIMARY KEY,
  name text NOT NULL,
  type text NOT NULL,
  part integer NOT NULL,
  created_at timestamptz NOT NULL
);

-- A field is found by its name without regard to case.
CREATE UNIQUE INDEX fields_name_key ON :account.fields (lower(name));

-- One row a contact. `id` is the number of the import that brought it, shifted left by 33 bits, plus the number of its
-- row there: known before the row is written, unique without a sequence. Imported columns c1, c2, … are added as imports
-- bring them.
CREATE TABLE :account.contacts (
  id bigint PRIMARY KEY,
  import_id integer NOT NULL,
  updated_at timestamptz
);

-- What a contact is looked up by: the hash of its dedup columns, its PURL, its coordinates. Apart from `contacts`, so
-- that an import can write rows before it has worked these out, and so that an update of a contact touches no index
-- (ADR 0007). A contact without any of them has no row here.
CREATE TABLE :account.contact_keys (
  id bigint PRIMARY KEY,
  dedup_hash uuid,
  purl_scope integer,
  base_purl text,
  purl_number integer,
  latitude double precision,
  longitude double precision
);

-- What an application recorded of a contact's behaviour.
CREATE TABLE :account.events (
  id uuid PRIMARY KEY,
  contact_id bigint NOT NULL,
  event_code text NOT NULL,
  event_date timestamptz NOT NULL,
  app_code text,
  event_path text,
  event_element text,
  browser text,
  os text,
  ip text,
  pdid text,
  is_trigger boolean NOT NULL
);

-- The events of one contact, newest first, and the join of behavioural filters.
CREATE INDEX events_contact_id_idx ON :account.events (contact_id, event_date);

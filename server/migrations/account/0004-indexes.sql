-- Indexes of contacts that users asked for. What PostgreSQL calls them is made of `id` (`field_index_<id>`), since a name
-- may be longer than its identifiers. The row says what is wanted; a job brings the database to it (ADR 0030).

CREATE TABLE :account.indexes (
  id integer PRIMARY KEY,
  name text NOT NULL,
  field_1 integer NOT NULL,
  order_1 smallint NOT NULL,
  field_2 integer,
  order_2 smallint,
  is_unique boolean NOT NULL,
  creator text NOT NULL,
  created_at timestamptz NOT NULL,
  state text NOT NULL,
  reason text,
  built_for text,
  attempts integer NOT NULL DEFAULT 0
);

-- Names are unique in the account, without regard to case.
CREATE UNIQUE INDEX indexes_name_key ON :account.indexes (lower(name));

-- Two requests at once cannot ask for the same fields twice; one that failed is in nobody's way.
CREATE UNIQUE INDEX indexes_fields_key ON :account.indexes (field_1, coalesce(field_2, 0)) WHERE state <> 'failed';

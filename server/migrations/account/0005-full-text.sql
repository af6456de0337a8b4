-- What searches over texts and events need.

-- What an application said of an event besides, by its own names: {"price": 12.5, "page": "Home"}.
ALTER TABLE :account.events ADD COLUMN details jsonb;

-- The words of the texts of each contact, for $text. Apart from `contacts`, and filled by a job when somebody searches a
-- large account, so that imports do not wait for it (ADR 0028). The job also makes its index.
CREATE TABLE :account.contact_words (
  id bigint PRIMARY KEY,
  words tsvector NOT NULL
);

-- Up to when that is so: one row, from the first time on that somebody wanted it.
CREATE TABLE :account.contact_word_index (
  id integer PRIMARY KEY,
  requested_at timestamptz NOT NULL,
  built_at timestamptz,
  import_id integer NOT NULL DEFAULT 0,
  text_fields integer[] NOT NULL DEFAULT '{}',
  last_field integer NOT NULL DEFAULT 0
);

-- The release of the rules by which words are made from texts, for the words that are stored: since 2 without accents.
-- The next search rebuilds words of an earlier one (ADR 0062).
ALTER TABLE :account.contact_word_index ADD COLUMN words_version integer NOT NULL DEFAULT 1;

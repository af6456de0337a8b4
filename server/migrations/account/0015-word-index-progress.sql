-- How far the words of contacts are written while their index is being made, 0 to 1, for whoever waits for it; null when
-- nobody is at it.
ALTER TABLE :account.contact_word_index ADD COLUMN progress real;

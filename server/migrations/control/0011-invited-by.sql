-- Who an invitation is from, so that its page says what the letter said. Null for the portal itself, and for other links.
ALTER TABLE portico.person_links ADD COLUMN invited_by text;

-- When the holder of a session last gave the password, which what is hard to take back asks for.
ALTER TABLE portico.sessions ADD COLUMN password_given_at timestamptz;
UPDATE portico.sessions SET password_given_at = created_at;
ALTER TABLE portico.sessions ALTER COLUMN password_given_at SET NOT NULL;

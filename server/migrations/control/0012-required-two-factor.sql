-- An account may ask for two-factor of everybody who works there.
ALTER TABLE portico.accounts ADD COLUMN requires_two_factor boolean NOT NULL DEFAULT false;

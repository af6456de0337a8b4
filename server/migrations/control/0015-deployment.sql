-- What holds for the whole deployment, in its only row.
CREATE TABLE portico.deployment (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- Who has to have two-factor, whatever the accounts ask for.
  two_factor_of text NOT NULL DEFAULT 'nobody' CHECK (two_factor_of IN ('nobody', 'power-admins', 'everybody'))
);
INSERT INTO portico.deployment DEFAULT VALUES;

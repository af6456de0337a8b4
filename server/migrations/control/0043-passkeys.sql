-- Passkeys: keys on devices, or in an account of their person's, with which they sign in alone. Here are the public
-- parts.

-- What authenticators know a person by: random, the same for all of their passkeys. Null before the first one.
ALTER TABLE portico.persons ADD COLUMN passkey_handle text;

CREATE TABLE portico.passkeys (
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES portico.persons (id) ON DELETE CASCADE,
  -- Given by the authenticator, in base64url. Each sign-in looks its passkey up by it.
  credential_id text NOT NULL UNIQUE,
  -- In COSE.
  public_key bytea NOT NULL,
  -- Of signatures, if the authenticator counts them; otherwise 0.
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  is_synced boolean NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);

-- The passkeys of a person, and on each request to an account that requires two-factor whether they have one.
CREATE INDEX passkeys_person_id_idx ON portico.passkeys (person_id);

-- Challenges are sealed and not stored. One that was answered is kept here until it would have expired.
CREATE TABLE portico.used_challenges (
  challenge text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

-- Each new one removes those that have expired.
CREATE INDEX used_challenges_expires_at_idx ON portico.used_challenges (expires_at);

-- The passkey that was shown in the session, at its start or since.
ALTER TABLE portico.sessions ADD COLUMN passkey_id uuid REFERENCES portico.passkeys (id) ON DELETE SET NULL;

-- The sessions of a passkey that is removed.
CREATE INDEX sessions_passkey_id_idx ON portico.sessions (passkey_id) WHERE passkey_id IS NOT NULL;

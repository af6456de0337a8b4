-- What signing in leaves behind beside sessions: second steps that wait for a code, mails that were asked for, and what
-- somebody has signed in with before.

-- A sign-in whose password was right and that waits for a code; it is known by the hash of its token.
CREATE TABLE portico.second_steps (
  token_hash text PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES portico.persons (id) ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  wrong_codes integer NOT NULL DEFAULT 0
);

-- Each new one removes those of its person that have expired.
CREATE INDEX second_steps_person_id_idx ON portico.second_steps (person_id);

-- Mails for a new password that were asked for, whether anybody has the e-mail or not. `email` is in lower case.
CREATE TABLE portico.password_requests (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  address text NOT NULL,
  requested_at timestamptz NOT NULL
);

-- Each request counts those of its e-mail and those of its address, and removes what no longer counts.
CREATE INDEX password_requests_email_idx ON portico.password_requests (email, requested_at);
CREATE INDEX password_requests_address_idx ON portico.password_requests (address, requested_at);
CREATE INDEX password_requests_requested_at_idx ON portico.password_requests (requested_at);

-- Browsers and systems that a person has signed in with, in words. One that is not here yet is told to the person.
CREATE TABLE portico.known_devices (
  person_id uuid NOT NULL REFERENCES portico.persons (id) ON DELETE CASCADE,
  device text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  PRIMARY KEY (person_id, device)
);

-- An attempt is noted before it is judged, so that many at the same time cannot slip past the count; it counts against
-- its address only when it was judged wrong.
ALTER TABLE portico.login_failures ADD COLUMN is_judged boolean NOT NULL DEFAULT true;

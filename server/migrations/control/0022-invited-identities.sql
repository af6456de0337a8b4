-- An identity counts once its person has accepted it: nobody gets into another account, or loses a session elsewhere,
-- because somebody else named their email.

-- `accepted_at` is null while the invitation is pending; `invited_by` says in words from whom it comes, null for the
-- operator. `sessions_ended_at`: older sessions cannot use this identity. `last_entered_at`: the last time that its person
-- entered an account with it.
ALTER TABLE portico.identities
  ADD COLUMN accepted_at timestamptz,
  ADD COLUMN invited_by text,
  ADD COLUMN sessions_ended_at timestamptz,
  ADD COLUMN last_entered_at timestamptz;
UPDATE portico.identities SET accepted_at = created_at;
-- Where a person has one identity only, their last sign-in was with it. Of others it is unknown.
UPDATE portico.identities i SET last_entered_at = p.last_sign_in_at FROM portico.persons p
WHERE p.id = i.person_id AND NOT EXISTS (
  SELECT FROM portico.identities o WHERE o.person_id = i.person_id AND o.id <> i.id);

-- An invitation is for one identity, so that accounts can invite the same person without replacing each other's link.
-- Null for other links, and for invitations sent before this migration.
ALTER TABLE portico.person_links
  ADD COLUMN identity_id uuid REFERENCES portico.identities (id) ON DELETE CASCADE;
UPDATE portico.identities i SET invited_by = l.invited_by FROM portico.person_links l
WHERE l.person_id = i.person_id AND l.kind = 'invitation' AND l.used_at IS NULL;
ALTER TABLE portico.person_links DROP COLUMN invited_by;
-- Deleting an identity removes its links.
CREATE INDEX person_links_identity_id_idx ON portico.person_links (identity_id);

-- The accounts that were entered with a session.
ALTER TABLE portico.sessions ADD COLUMN accounts integer[] NOT NULL DEFAULT '{}';

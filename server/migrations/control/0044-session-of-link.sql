-- The session in which the link was created, which ends it: links that someone else made in a session outlive it
-- otherwise. Null for links of earlier releases, which last two days at most.
ALTER TABLE portico.impersonations ADD COLUMN session_id uuid;

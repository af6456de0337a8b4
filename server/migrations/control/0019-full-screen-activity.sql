-- Whether a dashboard on the whole screen keeps its user signed in, up to the longest time of a session.
ALTER TABLE portico.accounts ADD COLUMN full_screen_is_activity boolean NOT NULL DEFAULT false;

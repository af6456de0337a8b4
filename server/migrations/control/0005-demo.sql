-- What became of the demo in this installation: being loaded, loaded, or declined because the operator had begun with
-- data of his own. At most one row; without one it has not been tried.
CREATE TABLE portico.demo (
  id integer PRIMARY KEY CHECK (id = 1),
  state text NOT NULL CHECK (state IN ('loading', 'loaded', 'declined')),
  -- What the demo's dates are counted back from, so that a load that goes on after a crash makes the same data.
  started_at timestamptz NOT NULL,
  ended_at timestamptz
);

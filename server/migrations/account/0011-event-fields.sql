-- By which names of their own applications have recorded something with events: what can be exported of these details.
CREATE TABLE :account.event_fields (
  -- As the application writes it: letter case counts.
  name text PRIMARY KEY
);

-- The name that an attempt at an upload has chosen at the far end, so that the next one recognizes its own file.
ALTER TABLE :account.deliveries ADD COLUMN remote_name text;

-- A deleted field is hidden, and its values stay for 30 days in which it can be restored.
ALTER TABLE :account.fields ADD COLUMN deleted_at timestamptz;
ALTER TABLE :account.fields ADD COLUMN deleted_by text;

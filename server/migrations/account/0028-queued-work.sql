-- The call by which an import or a delete was asked for, with the holder (ADR 0106): a worker judges it again before it
-- begins. Null for the portal's own, and before this release. `reason`: why a delete was rejected.
ALTER TABLE :account.imports ADD COLUMN acts_as jsonb;
ALTER TABLE :account.deletes ADD COLUMN acts_as jsonb;
ALTER TABLE :account.deletes ADD COLUMN reason text;

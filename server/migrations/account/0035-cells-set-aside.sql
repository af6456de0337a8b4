-- Imports leave out cells that do not fit their field, and count them (ADR 0119). Those that have begun widen the field, as
-- before. `report_rows` is the number of rows in the report; null for reports of rows set aside alone.
ALTER TABLE :account.imports ADD COLUMN on_mismatch text NOT NULL DEFAULT 'text';
ALTER TABLE :account.imports ADD COLUMN on_mismatch_by_field jsonb;
ALTER TABLE :account.imports ADD COLUMN set_aside_cells integer NOT NULL DEFAULT 0;
ALTER TABLE :account.imports ADD COLUMN report_rows integer;
ALTER TABLE :account.imports ALTER COLUMN on_mismatch SET DEFAULT 'cell';
UPDATE :account.imports SET on_mismatch = 'cell' WHERE plan IS NULL AND status NOT IN ('completed', 'rejected');

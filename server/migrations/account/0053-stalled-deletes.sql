-- Bulk deletes end after attempts without progress, as other jobs do.

-- Consecutive attempts that deleted nothing, the present one among them.
ALTER TABLE :account.deletes ADD COLUMN stalled_attempts integer NOT NULL DEFAULT 0;

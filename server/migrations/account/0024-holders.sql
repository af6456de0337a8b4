-- Whose rights an export, an import's automatic export and a remote access act with (ADR 0087). `acts_as`: a holder, and the
-- request that it was allowed by, which is judged again. Null for what the portal made itself, and before this release.
ALTER TABLE :account.exports ADD COLUMN acts_as jsonb;
ALTER TABLE :account.imports ADD COLUMN holder text;
ALTER TABLE :account.remote_accesses ADD COLUMN acts_as jsonb;

-- What waits or runs is counted when more is asked for, however much has ended.
CREATE INDEX imports_unended_idx ON :account.imports (id) WHERE status NOT IN ('completed', 'rejected');
CREATE INDEX exports_unended_idx ON :account.exports (id) WHERE status NOT IN ('completed', 'rejected');

-- Contacts can be merged into others (ADR 0140).

-- Former keys by which a contact is found since another one was merged into it. `delete_id`: the merge, which is in `deletes`.
-- `place`: 1 for the keys of the other contact, a row that every merge has until it is undone; 2 for the dedup key that the
-- contact itself had before.
CREATE TABLE :account.merged_keys (
  delete_id bigint NOT NULL,
  place integer NOT NULL,
  contact_id bigint NOT NULL,
  dedup_hash uuid,
  purl_scope integer,
  base_purl text,
  purl_number integer,
  PRIMARY KEY (delete_id, place)
);
-- For merges and deletes of contacts.
CREATE INDEX merged_keys_contact_id_idx ON :account.merged_keys (contact_id);
-- For imports and edits, which look up the holder of a key.
CREATE INDEX merged_keys_dedup_hash_idx ON :account.merged_keys (dedup_hash) WHERE dedup_hash IS NOT NULL;
-- For remote accesses and imports of events, which look up the holder of a PURL.
CREATE INDEX merged_keys_purl_idx ON :account.merged_keys (base_purl, purl_number) WHERE base_purl IS NOT NULL;

-- A merge is listed among the deletes: the contact that was merged is kept in the same way. The contact it was merged into.
ALTER TABLE :account.deletes ADD COLUMN merged_into bigint;

-- Of a merge, and of its undo: the contact that was merged, and the merge.
ALTER TABLE :account.contact_changes ADD COLUMN merged_contact bigint;
ALTER TABLE :account.contact_changes ADD COLUMN delete_id bigint;

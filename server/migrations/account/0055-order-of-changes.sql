-- Undos of imports, merges and edits pass earlier values on to the next change of the same value (ADR 0168). The order of
-- a contact's changes: the last import that had changed the contact by then, 0 for none; changes by people have ids in their order.
-- From now on a value of `fields` may have two more keys: `returns`, to which an undo leads instead of `from`, as a change in
-- between was taken back; and `undone`, on a value that was taken back, and on the one that did so.
ALTER TABLE :account.contact_changes ADD COLUMN last_import integer NOT NULL DEFAULT 0;
UPDATE :account.contact_changes AS c SET last_import = coalesce((
  SELECT max(i.id) FROM :account.imports AS i WHERE i.kind = 'contacts' AND i.last_activity_at <= c.at), 0);

-- The contacts that a bulk delete removes, under the name of what they are: the targets of the delete.

ALTER TABLE :account.doomed_contacts RENAME TO delete_targets;

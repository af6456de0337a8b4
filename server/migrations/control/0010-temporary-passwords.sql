-- A password that the portal made up is shown to somebody and may be written down: it is good for choosing another one.
ALTER TABLE portico.persons ADD COLUMN password_is_temporary boolean NOT NULL DEFAULT false;

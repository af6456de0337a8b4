-- Whether the file of an export starts with a byte order mark, by which Excel recognizes UTF-8. Files of earlier exports
-- have none.
ALTER TABLE :account.exports ADD COLUMN byte_order_mark boolean NOT NULL DEFAULT false;

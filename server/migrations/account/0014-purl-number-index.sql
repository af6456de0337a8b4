-- Contacts that share the base of their PURL with earlier ones are found by its number. Built here for accounts that have
-- contacts already; otherwise the first import builds it with the other indexes of contact keys. Numbers of filters are
-- double precision.
CREATE INDEX IF NOT EXISTS contact_keys_purl_number_idx ON :account.contact_keys ((purl_number::double precision))
  WHERE purl_number::double precision > 1;

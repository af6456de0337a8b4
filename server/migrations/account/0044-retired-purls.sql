-- PURLs are never given again (ADR 0132): the highest number of each base whose holder was deleted or has got another PURL.
-- Those of present contacts are in `contact_keys`, so that nothing is moved here. The base is only kept as its hash, as it is
-- made of the name of a person who may have been deleted for good.
CREATE TABLE :account.retired_purls (
  purl_scope integer NOT NULL,
  base_hash uuid NOT NULL,
  last_number integer NOT NULL,
  PRIMARY KEY (purl_scope, base_hash)
);

-- Persons are found by a key of their address (ADR 0081). Only the portal computes it, as the lower case of PostgreSQL and that
-- of JavaScript differ.
ALTER TABLE portico.persons
  -- Null for an address of an earlier release that is refused now: it finds no one.
  ADD COLUMN email_key text,
  -- Another person's address has the same key. It finds neither of them.
  ADD COLUMN is_ambiguous boolean NOT NULL DEFAULT false;

DROP INDEX portico.persons_email_key;

RUN fillEmailKeys;

-- Finds a person by address, and keeps addresses unique (selectPerson, findOrAddPerson of persons.queries.ts).
CREATE UNIQUE INDEX persons_email_key ON portico.persons (email_key) WHERE NOT is_ambiguous;
-- Finds the others with the same address (findOrAddPerson, selectConflicts of the same file).
CREATE INDEX persons_ambiguous_key ON portico.persons (email_key) WHERE is_ambiguous;

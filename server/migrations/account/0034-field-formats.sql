-- Number fields have a format in which their values are shown: the one that people chose, or else plain for codes (ids, years,
-- postal codes), which the portal recognizes by their names and values.
ALTER TABLE :account.fields ADD COLUMN format jsonb;
ALTER TABLE :account.fields ADD COLUMN has_codes boolean NOT NULL DEFAULT false;
RUN fillFieldCodes;

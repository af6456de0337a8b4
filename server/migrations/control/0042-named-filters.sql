-- The saved filters that each stored item names, recorded when it is saved: reading all texts for the list of segments
-- takes long and much memory, as a filter may have hundreds of kilobytes.
ALTER TABLE portico.saved_filters ADD COLUMN named_filters uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE portico.crons ADD COLUMN named_filters uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE portico.dashboard_versions ADD COLUMN named_filters uuid[] NOT NULL DEFAULT '{}';
UPDATE portico.saved_filters SET named_filters = ARRAY(
  SELECT DISTINCT (regexp_matches(aggregate_query,
    '(?:predefined|rdl)\\*"\s*:\s*\\*"([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})', 'g'))[1]::uuid LIMIT 1000)
WHERE aggregate_query LIKE '%predefined%';
UPDATE portico.crons SET named_filters = ARRAY(
  SELECT DISTINCT (regexp_matches(instruction::text,
    '(?:predefined|rdl)\\*"\s*:\s*\\*"([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})', 'g'))[1]::uuid LIMIT 1000)
WHERE instruction::text ~ 'predefined|rdl';
UPDATE portico.dashboard_versions SET named_filters = ARRAY(
  SELECT DISTINCT (regexp_matches(definition,
    '(?:predefined|rdl)\\*"\s*:\s*\\*"([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})', 'g'))[1]::uuid LIMIT 1000)
WHERE definition LIKE '%predefined%';

-- Dates without a time become days (ADR 0065): a field whose every value begins a day of the account, in `:timeZone`, is
-- one of days from now on. Fields that an unfinished import writes to stay as they are.

-- Contacts are found again by the hash of their dedup columns, in which the beginning of a day is now written as that day.
-- Only hashes that are those of the contact's own values are replaced.
DO $$
DECLARE
  zone CONSTANT text := :timeZone;
  imported record;
  dedup record;
  earlier text[] := '{}';
  later text[] := '{}';
  tables text := ':account.contacts AS contacts';
  hash CONSTANT text := 'md5(lower(%s))::uuid';
BEGIN
  -- With the scope of the account, all imports have the same dedup columns; other hashes are of one import only.
  SELECT dedup_columns, header, plan -> 'columns' AS columns INTO imported FROM :account.imports
  WHERE kind = 'contacts' AND purl_scope = 'account' AND dedup_columns <> '{}' AND plan IS NOT NULL AND processed_records > 0
  ORDER BY id DESC LIMIT 1;
  IF NOT FOUND THEN RETURN; END IF;
  FOR dedup IN
    SELECT DISTINCT ON (named.place) fields.type, fields.part, format('contacts%s.c%s',
      CASE WHEN fields.part > 1 THEN '_' || fields.part END, fields.id) AS value
    FROM unnest(imported.dedup_columns) WITH ORDINALITY AS named (name, place)
    CROSS JOIN jsonb_array_elements(imported.columns) WITH ORDINALITY AS planned (item, at)
    JOIN :account.fields ON fields.id = (planned.item #>> '{field,id}')::int
    WHERE lower(named.name) IN (lower(planned.item #>> '{field,name}'),
      lower(imported.header[(planned.item ->> 'position')::int + 1]))
    ORDER BY named.place, planned.at
  LOOP
    earlier := earlier || format('btrim(coalesce(%s, ''''), E'' \t\r\n\u00a0'')', format(CASE dedup.type
      WHEN 'number' THEN 'trim_scale(%s::numeric)::text'
      WHEN 'boolean' THEN '%s::text'
      WHEN 'date' THEN 'to_char(%s AT TIME ZONE ''UTC'', ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'')'
      ELSE '%s' END, dedup.value));
    later := later || CASE WHEN dedup.type <> 'date' THEN earlier[cardinality(earlier)] ELSE format(
      'CASE WHEN %1$s = ((%1$s AT TIME ZONE %2$L)::date::timestamp AT TIME ZONE %2$L)
        THEN to_char(%1$s AT TIME ZONE %2$L, ''YYYY-MM-DD'') ELSE %3$s END',
      dedup.value, zone, earlier[cardinality(earlier)]) END;
    IF dedup.part > 1 AND position(format('contacts_%s.id', dedup.part) IN tables) = 0 THEN
      tables := tables || format(
        ' JOIN :account.contacts_%1$s AS contacts_%1$s ON contacts_%1$s.id = contacts.id', dedup.part);
    END IF;
  END LOOP;
  IF later = earlier OR cardinality(earlier) < cardinality(imported.dedup_columns) THEN RETURN; END IF;
  -- Citus takes the functions of the hashes in a subquery only, which OFFSET keeps apart.
  EXECUTE format(
    'UPDATE :account.contact_keys AS keys SET dedup_hash = hashes.later
     FROM (SELECT contacts.id, %1$s AS earlier, %2$s AS later FROM %3$s OFFSET 0) AS hashes
     WHERE hashes.id = keys.id AND keys.dedup_hash = hashes.earlier AND hashes.later <> hashes.earlier',
    format(hash, array_to_string(earlier, ' || chr(31) || ')), format(hash, array_to_string(later, ' || chr(31) || ')),
    tables);
END $$;

-- One scan and one rewrite of a table, however many of its fields become days. PostgreSQL rebuilds their indexes; lookup
-- indexes, whose expressions depend on the type, are created again.
DO $$
DECLARE
  zone CONSTANT text := :timeZone;
  part record;
  are_days boolean[];
  converted text[];
  name text;
  indexes text[];
  lookups text[];
  definition text;
BEGIN
  FOR part IN
    SELECT CASE WHEN fields.part > 1 THEN 'contacts_' || fields.part ELSE 'contacts' END AS name,
      array_agg('c' || fields.id ORDER BY fields.id) AS columns
    FROM :account.fields WHERE type = 'date' AND NOT EXISTS (
      SELECT FROM :account.imports, jsonb_array_elements(plan -> 'columns') AS planned (item)
      WHERE kind = 'contacts' AND status NOT IN ('completed', 'rejected')
        AND (planned.item #>> '{field,id}')::int = fields.id)
    GROUP BY fields.part
  LOOP
    EXECUTE format('SELECT ARRAY[%s] FROM :account.%I', (SELECT string_agg(format(
      'coalesce(bool_and(%1$I = ((%1$I AT TIME ZONE %2$L)::date::timestamp AT TIME ZONE %2$L)), false)', dates.field, zone),
      ', ' ORDER BY dates.at) FROM unnest(part.columns) WITH ORDINALITY AS dates (field, at)), part.name) INTO are_days;
    converted := ARRAY(SELECT dates.field FROM unnest(part.columns, are_days) AS dates (field, is_day) WHERE is_day);
    CONTINUE WHEN converted = '{}';
    indexes := ARRAY(SELECT indexdef FROM pg_indexes WHERE schemaname = ':account' AND tablename = part.name
      AND indexname LIKE 'lookup\_index\_%' AND string_to_array(indexname, '_') && converted);
    FOREACH definition IN ARRAY indexes LOOP
      EXECUTE format('DROP INDEX :account.%s', substring(definition FROM 'INDEX (lookup_index\S+)'));
    END LOOP;
    EXECUTE format('ALTER TABLE :account.%I %s', part.name, (SELECT string_agg(format(
      'ALTER COLUMN %1$I TYPE date USING (%1$I AT TIME ZONE %2$L)::date', dates.field, zone), ', ')
      FROM unnest(converted) AS dates (field)));
    EXECUTE format('ANALYZE :account.%I (%s)', part.name, array_to_string(converted, ', '));
    UPDATE :account.fields SET type = 'day' WHERE 'c' || id::text = ANY (converted);
    FOREACH definition IN ARRAY indexes LOOP
      FOREACH name IN ARRAY converted LOOP
        definition := replace(definition, format('EXTRACT(epoch FROM (%s AT TIME ZONE ''UTC''::text))', name),
          format('(%s - ''1970-01-01''::date)', name));
      END LOOP;
      EXECUTE definition;
    END LOOP;
  END LOOP;
  lookups := ARRAY(SELECT indexname FROM pg_indexes WHERE schemaname = ':account' AND indexname LIKE 'lookup\_index\_%');
  UPDATE :account.indexes SET built_for = first.type || coalesce(',' || second.type, '')
  FROM :account.fields AS first, :account.indexes AS other
  LEFT JOIN :account.fields AS second ON second.id = other.field_2
  WHERE indexes.state = 'ready' AND other.id = indexes.id AND first.id = indexes.field_1
    AND 'day' IN (first.type, second.type)
    -- An index that is not there is built again after the next import.
    AND (indexes.kind <> 'lookup'
      OR 'lookup_index_c' || indexes.field_1::text || coalesce('_c' || indexes.field_2::text, '') = ANY (lookups));
END $$;

-- Values of earlier releases become what the import makes of them now (ADR 0110): letters are composed (NFC), and a value of
-- white space alone is none. One scan of each table; only the contacts that have such values are written.

-- Contacts are found again by the hash of their dedup columns, which is that of the composed values without white space
-- around them. Only hashes of the contact's own values are replaced, and none that another contact has.
DO $$
DECLARE
  zone CONSTANT text := :timeZone;
  blanks CONSTANT text := quote_literal(E'\t\n\u000b\u000c\r \u0085\u00a0\u00ad\u061c\u1680\u180e\u2000\u2001\u2002\u2003\u2004'
    || E'\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u202f'
    || E'\u205f\u2060\u2066\u2067\u2068\u2069\u3000\ufeff');
  imported record;
  dedup record;
  earlier text[] := '{}';
  later text[] := '{}';
  changed text[] := '{}';
  tables text := ':account.contacts AS contacts';
  hash text := 'md5(lower(%s))::uuid';
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
    WHERE lower(normalize(named.name, NFC)) IN (lower(normalize(planned.item #>> '{field,name}', NFC)),
      lower(normalize(imported.header[(planned.item ->> 'position')::int + 1], NFC)))
    ORDER BY named.place, planned.at
  LOOP
    earlier := earlier || format('btrim(coalesce(%s, ''''), E'' \t\r\n\u00a0'')', format(CASE dedup.type
      WHEN 'number' THEN 'trim_scale(%1$s::numeric)::text'
      WHEN 'boolean' THEN '%1$s::text'
      WHEN 'day' THEN 'to_char(%1$s, ''YYYY-MM-DD'')'
      WHEN 'date' THEN 'CASE WHEN %1$s = ((%1$s AT TIME ZONE %2$L)::date::timestamp AT TIME ZONE %2$L)
        THEN to_char(%1$s AT TIME ZONE %2$L, ''YYYY-MM-DD'')
        ELSE to_char(%1$s AT TIME ZONE ''UTC'', ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'') END'
      ELSE '%1$s' END, dedup.value, zone));
    later := later || CASE WHEN dedup.type <> 'string' THEN earlier[cardinality(earlier)]
      ELSE format('btrim(normalize(coalesce(%s, ''''), NFC), %s)', dedup.value, blanks) END;
    IF dedup.type = 'string' THEN
      changed := changed || format('%1$s IS NOT NFC NORMALIZED OR btrim(%1$s, E'' \t\r\n\u00a0'') <> btrim(%1$s, %2$s)',
        dedup.value, blanks);
    END IF;
    IF dedup.part > 1 AND position(format('contacts_%s.id', dedup.part) IN tables) = 0 THEN
      tables := tables || format(
        ' JOIN :account.contacts_%1$s AS contacts_%1$s ON contacts_%1$s.id = contacts.id', dedup.part);
    END IF;
  END LOOP;
  IF changed = '{}' OR cardinality(earlier) < cardinality(imported.dedup_columns) THEN RETURN; END IF;
  IF cardinality(earlier) > 1 THEN
    earlier := ARRAY(SELECT format('replace(%s, chr(31), chr(31) || '' '')', one) FROM unnest(earlier) AS one);
    later := ARRAY(SELECT format('replace(%s, chr(31), chr(31) || '' '')', one) FROM unnest(later) AS one);
  END IF;
  -- Citus takes the functions of the hashes in a subquery only, which OFFSET keeps apart.
  EXECUTE format(
    'UPDATE :account.contact_keys AS keys SET dedup_hash = hashes.later
     FROM (
       SELECT DISTINCT ON (later) id, earlier, nullif(later, %4$s) AS later FROM (
         SELECT contacts.id, %1$s AS earlier, %2$s AS later FROM %3$s WHERE %5$s OFFSET 0
       ) AS hashed WHERE earlier <> later ORDER BY later, id OFFSET 0
     ) AS hashes
     WHERE hashes.id = keys.id AND keys.dedup_hash = hashes.earlier
       AND NOT EXISTS (SELECT FROM :account.contact_keys AS others WHERE others.dedup_hash = hashes.later)',
    format(hash, array_to_string(earlier, ' || chr(31) || ')), format(hash, array_to_string(later, ' || chr(31) || ')),
    tables, format(hash, quote_literal(repeat(chr(31), cardinality(later) - 1))), array_to_string(changed, ' OR '));
END $$;

DO $$
DECLARE
  blanks CONSTANT text := quote_literal(E'\t\n\u000b\u000c\r \u0085\u00a0\u00ad\u061c\u1680\u180e\u2000\u2001\u2002\u2003\u2004'
    || E'\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u202f'
    || E'\u205f\u2060\u2066\u2067\u2068\u2069\u3000\ufeff');
  part record;
BEGIN
  FOR part IN
    SELECT CASE WHEN fields.part > 1 THEN 'contacts_' || fields.part ELSE 'contacts' END AS name,
      string_agg(format('c%1$s = CASE WHEN btrim(c%1$s, %2$s) <> '''' THEN normalize(c%1$s, NFC) END', id, blanks), ', ') AS changes,
      string_agg(format('c%1$s IS NOT NFC NORMALIZED OR btrim(c%1$s, %2$s) = ''''', id, blanks), ' OR ') AS conditions
    FROM :account.fields WHERE type = 'string' GROUP BY fields.part
  LOOP
    BEGIN
      EXECUTE format('UPDATE :account.%I SET %s WHERE %s', part.name, part.changes, part.conditions);
    EXCEPTION WHEN unique_violation THEN
      -- A unique index has both forms of a value. They stay two, as their contacts are.
      RAISE WARNING 'Values of :account.% stay as they are: %', part.name, SQLERRM;
    END;
  END LOOP;
END $$;

-- Lookup indexes of public forms compare values without white space at both ends. What counts as white space is now all of
-- Unicode's, and the characters without a width (ADR 0110), so these indexes are made again over that expression.
DO $$
DECLARE
  definition text;
  earlier CONSTANT text := quote_literal(E' \t\r\n\u00a0');
  later CONSTANT text := quote_literal(E'\t\n\u000b\u000c\r \u0085\u00a0\u00ad\u061c\u1680\u180e\u2000\u2001\u2002\u2003\u2004'
    || E'\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u202f'
    || E'\u205f\u2060\u2066\u2067\u2068\u2069\u3000\ufeff');
BEGIN
  FOR definition IN
    SELECT indexdef FROM pg_indexes WHERE schemaname = ':account' AND indexname LIKE 'lookup\_index\_%'
  LOOP
    EXECUTE format('DROP INDEX :account.%s', substring(definition FROM 'INDEX (lookup_index\S+)'));
    EXECUTE replace(definition, earlier, later);
  END LOOP;
END $$;

import { type RawBuilder, sql } from 'kysely'

/** The most bytes of a character in UTF-8. */
const bytesOfCharacter = 4

/**
 * Returns SQL for whether a stored text has at most `longest` characters. The number of bytes comes first: it is known
 * without reading the text, which may be long.
 */
export const lengthWithin = (text: RawBuilder<unknown>, longest: number): RawBuilder<boolean> => sql<boolean>`
  (CASE WHEN octet_length(${text}) <= ${longest * bytesOfCharacter}::integer THEN length(${text}) <= ${longest}::integer ELSE false END)`

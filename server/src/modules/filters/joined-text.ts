import { filterLimits } from '@portico/contract/filter'
import { sql } from 'kysely'
import type { Sql } from './filter-field.ts'

const tooLong = `makes a text of more than ${filterLimits.textLength.toLocaleString('en-US')} characters for`

/**
 * The joined texts, for the computed field `field`; NULL unless each has a value. The total length is computed before
 * the texts are joined: a text that is too long ends the statement before it takes memory.
 */
export function joinedText(texts: Sql[], field: string): Sql {
  const names = texts.map((_text, at) => sql.id(`v${at}`))
  const values = texts.map((text, at) => sql`${text} AS ${sql.id(`v${at}`)}`)
  const length = sql.join(
    names.map((name) => sql`length(${name})`),
    sql` + `,
  )
  // The cast fails with an error that quotes its input, the message for the user. The input contains a value of the
  // row, since PostgreSQL would evaluate a constant at once. OFFSET keeps PostgreSQL from repeating the texts in each
  // use.
  const failure = sql`(${`"$concat" ${tooLong} "${field}".`}::text || left(${names[0]}, 0))::int::text`
  return sql`(
    SELECT CASE WHEN ${length} <= ${sql.lit(filterLimits.textLength)} THEN array_to_string(ARRAY[${sql.join(names)}], '')
      WHEN ${length} > ${sql.lit(filterLimits.textLength)} THEN ${failure} END
    FROM (SELECT ${sql.join(values)} OFFSET 0) AS joined)`
}

/** The message of `joinedText` in the error that ended a statement; null for any other error. */
export function tooLongText({ message }: Error): string | null {
  const at = message.indexOf(`"$concat" ${tooLong} "`)
  // PostgreSQL quotes the text that it could not read.
  return at < 0 ? null : message.slice(at, message.lastIndexOf('"'))
}

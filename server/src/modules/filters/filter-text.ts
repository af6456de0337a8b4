import { filterLimits } from '@portico/contract/filter'
import { sql } from 'kysely'
import { invalidFilter, type SpecialField, type Sql, unknownOperator } from './filter-field.ts'

/**
 * `$text: {$search: "words"}`: contacts whose texts have a word that begins with each of the words, in any letter case. A
 * word is made of letters and digits; other characters separate words. Contacts with the exact words come first.
 * `hasIndex`: the full-text index is joined as `contact_words`; otherwise the texts are read.
 */
export function textField(texts: Sql[], hasIndex: boolean): SpecialField {
  return {
    name: '$text',
    of: null,
    compile(operator, argument, compilation) {
      if (operator !== '$search') throw unknownOperator(operator)
      const words = readWords(argument)
      const starts = sql`to_tsquery('simple', ${words.map((word) => `'${word}':*`).join(' & ')}::text)`
      const text = searchableText(texts)
      const found = hasIndex ? sql`contact_words.words` : textVector(text)
      const exact = words.map((word) => sql`(${found} @@ to_tsquery('simple', ${`'${word}'`}::text))::int`)
      compilation.tally.rank = sql`coalesce(${sql.join(exact, sql` + `)}, 0)`
      if (hasIndex) return sql`contact_words.words @@ ${starts}`
      // LIKE first: it is far cheaper, and leaves few texts to parse.
      const lower = sql`lower(${text})`
      const near = words.map((word) => sql`${lower} LIKE '%' || lower(${word}::text) || '%'`)
      return sql`(${sql.join(near, sql` AND `)} AND ${found} @@ ${starts})`
    },
  }
}

/** The words of a search, of letters, digits and combining marks in all scripts: no characters of tsquery operators. */
function readWords(argument: unknown): string[] {
  if (typeof argument !== 'string') throw invalidFilter('"$search" needs a text.')
  if (argument.length > filterLimits.searchLength) {
    throw invalidFilter(`"$search" takes at most ${filterLimits.searchLength} characters.`)
  }
  const words = argument.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  if (words.length === 0) throw invalidFilter('"$search" needs at least one word.')
  if (words.length > filterLimits.searchWords) {
    throw invalidFilter(`"$search" takes at most ${filterLimits.searchWords} words.`)
  }
  return words
}

// PostgreSQL passes at most 100 arguments to a function.
const argumentsAtOnce = 90

/** All texts of a contact as one. Very long texts are cut to what PostgreSQL can parse. */
export function searchableText(texts: Sql[]): Sql {
  const joined: Sql[] = []
  for (let at = 0; at < texts.length; at += argumentsAtOnce) {
    joined.push(sql`concat_ws(' ', ${sql.join(texts.slice(at, at + argumentsAtOnce))})`)
  }
  if (joined.length === 0) return sql`''`
  const [only = sql`''`] = joined
  return sql`left(${joined.length === 1 ? only : sql`concat_ws(' ', ${sql.join(joined)})`}, 200000)`
}

/** The tsvector of a text, without regard to case. */
export function textVector(text: Sql): Sql {
  return sql`to_tsvector('simple', regexp_replace(${text}, '[^[:alnum:]]+', ' ', 'g'))`
}

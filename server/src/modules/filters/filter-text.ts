import { filterLimits } from '@portico/contract/filter'
import { sql } from 'kysely'
import { invalidFilter, type SpecialField, type Sql, unknownOperator } from './filter-field.ts'

/**
 * `$text: {$search: "words"}`: contacts whose texts have, for each of the words, a word that begins with it, ignoring
 * letter case and accents. A word is made of letters and digits; other characters separate words. Contacts with the
 * exact words come first. `hasIndex`: the full-text index is joined as `contact_words`; otherwise the texts are read.
 */
export function textField(texts: Sql[], hasIndex: boolean): SpecialField {
  return {
    name: '$text',
    of: null,
    compile(operator, argument, compilation) {
      if (operator !== '$search') throw unknownOperator(operator)
      const words = readWords(argument)
      const query = (of: string[]) => sql`to_tsquery('simple', ${foldAccents(sql`${of.join(' & ')}::text`)})`
      const starts = query(words.map((word) => `'${word}':*`))
      const text = foldAccents(searchableText(texts))
      const found = hasIndex ? sql`contact_words.words` : splitWords(text)
      const exact = words.map((word) => sql`(${found} @@ ${query([`'${word}'`])})::int`)
      compilation.tally.rank = sql`coalesce(${sql.join(exact, sql` + `)}, 0)`
      if (hasIndex) return sql`contact_words.words @@ ${starts}`
      // LIKE first: it is far cheaper, and leaves few texts to parse.
      const near = words.map(
        (word) => sql`lower(t.folded) LIKE '%' || lower(${foldAccents(sql`${word}::text`)}) || '%'`,
      )
      return sql`(
        SELECT ${sql.join(near, sql` AND `)} AND ${splitWords(sql`t.folded`)} @@ ${starts}
        FROM (SELECT ${text} AS folded OFFSET 0) AS t)`
    },
  }
}

/** The words of a search: letters, digits and combining marks of all scripts, so no characters of tsquery operators. */
function readWords(argument: unknown): string[] {
  if (typeof argument !== 'string') throw invalidFilter('"$search" needs a text.')
  if (argument.length > filterLimits.searchLength) {
    throw invalidFilter(`"$search" takes at most ${filterLimits.searchLength} characters.`)
  }
  const words = (argument.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0) throw invalidFilter('"$search" needs at least one word.')
  if (words.length > filterLimits.searchWords) {
    throw invalidFilter(`"$search" takes at most ${filterLimits.searchWords} words.`)
  }
  return words
}

/**
 * All texts of a contact joined by spaces. Very long texts are cut to the length that PostgreSQL can parse. Immutable,
 * unlike `concat_ws`: with Citus, the server that has the rows can insert immutable expressions only (ADR 0071).
 */
export function searchableText(texts: readonly Sql[]): Sql {
  return texts.length === 0 ? sql`''` : sql`substr(${spaced(texts)}, 2, 200000)`
}

/**
 * The texts that have a value, each with a space before it. Joined recursively in halves, which copies and nests the
 * least.
 */
function spaced(texts: readonly Sql[]): Sql {
  const [first] = texts
  if (texts.length === 1) return sql`coalesce(' ' || ${first}, '')`
  const middle = Math.ceil(texts.length / 2)
  return sql`(${spaced(texts.slice(0, middle))} || ${spaced(texts.slice(middle))})`
}

/**
 * The tsvector of a text, ignoring letter case and accents. After a change of these rules, increment `wordsVersion`.
 */
export function textVector(text: Sql): Sql {
  return splitWords(foldAccents(text))
}

/** Version of the stored words. Those of another version are rebuilt before a search uses them. */
export const wordsVersion = 2

function splitWords(text: Sql): Sql {
  return sql`to_tsvector('simple', regexp_replace(${text}, '[^[:alnum:]]+', ' ', 'g'))`
}

/**
 * Letters such as those with a stroke, which Unicode does not decompose into a letter and a mark, and their plain
 * forms.
 */
const strokes = { from: 'łŁøØđĐħĦŧŦıŋŊɨƗƀɃðÐ', to: 'lLoOdDhHtTinNiIbBdD' }
const ligatures = { ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', þ: 'th', Þ: 'TH' }

/**
 * A text with accented letters replaced by plain ones. Marks of scripts without letter case stay, since they are
 * letters there. ASCII texts, by far the most, are returned unchanged.
 */
function foldAccents(text: Sql): Sql {
  const marked = sql`normalize(regexp_replace(normalize(s.text, NFD), '[\\u0300-\\u036f]+', '', 'g'), NFC)`
  const plain = sql`translate(${marked}, ${sql.lit(strokes.from)}, ${sql.lit(strokes.to)})`
  const spelled = Object.entries(ligatures).reduce<Sql>(
    (done, [letter, letters]) => sql`replace(${done}, ${sql.lit(letter)}, ${sql.lit(letters)})`,
    plain,
  )
  // OFFSET keeps the planner from computing the text again for each use.
  return sql`(
    SELECT CASE WHEN octet_length(s.text) = char_length(s.text) THEN s.text ELSE ${spelled} END
    FROM (SELECT ${text} AS text OFFSET 0) AS s)`
}

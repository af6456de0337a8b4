import { foldText } from '@portico/domain/names'
import type { Services } from '#platform/services.ts'

/** Texts of letters that JavaScript and PostgreSQL lower-case differently, and the same in other spellings. */
export type SpelledText = { text: string; others: string[] }

/** Collations that a database may have, if this server has them: bytes, Unicode in several ways, and Turkish. */
const collations = ['C', 'pg_c_utf8', 'pg_unicode_fast', 'und-x-icu', 'tr-x-icu']

/**
 * Returns every letter whose lower case differs between JavaScript and PostgreSQL in one of its collations, in texts of
 * `length` letters; each with the spellings that count as the same name.
 */
export async function differingTexts({ database }: Services, length: number): Promise<SpelledText[]> {
  const all = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter((letter) =>
    /[\p{L}\p{N}]/u.test(letter),
  )
  const spelled = all.map((letter) => ({ letter, others: new Set([letter.toLowerCase(), letter.toUpperCase()]) }))
  const differing = new Set<string>()
  const known = await database.pool.query<{ name: string }>(
    `SELECT quote_ident(collname) AS name FROM pg_collation
     WHERE collname = ANY ($1) AND collnamespace = 'pg_catalog'::regnamespace`,
    [collations],
  )
  for (const { name: collation } of known.rows) {
    const { rows } = await database.pool.query<{ lower: string[] }>(
      `SELECT array_agg(lower(letter COLLATE ${collation}) ORDER BY at) AS lower
       FROM unnest($1::text[]) WITH ORDINALITY AS letters (letter, at)`,
      [all],
    )
    for (const [at, lower] of (rows[0]?.lower ?? []).entries()) {
      const { letter = '', others } = spelled[at] ?? {}
      if (lower !== letter.toLowerCase()) differing.add(letter)
      others?.add(lower)
    }
  }
  // The first spelling of a text takes the first other spelling of each letter, and so on. Letters with fewer repeat.
  const letters = spelled
    .filter(({ letter }) => differing.has(letter))
    .map(({ letter, others }) => ({
      letter,
      others: [...others].filter((one) => one !== letter && Array.from(one).length === 1 && isSame(one, letter)),
    }))
    .filter(({ others }) => others.length > 0)
  const texts: SpelledText[] = []
  for (let at = 0; at < letters.length; at += length) {
    const part = letters.slice(at, at + length)
    const spellings = Math.max(...part.map(({ others }) => others.length))
    const spell = (which: number) => part.map(({ others }) => others[which] ?? others.at(-1)).join('')
    texts.push({
      text: part.map(({ letter }) => letter).join(''),
      others: Array.from({ length: spellings }, (_, which) => spell(which)),
    })
  }
  return texts
}

const isSame = (one: string, other: string): boolean => foldText(one) === foldText(other)

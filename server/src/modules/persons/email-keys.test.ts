import { domainToASCII } from 'node:url'
import { emailKey } from '@portico/contract/email-address'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { selectPerson } from './persons.queries.ts'
import { requirePersonWith } from './persons.service.ts'

// Letters whose lower case differs between JavaScript and PostgreSQL, before and after the @: only the portal computes
// keys, so the database and the portal agree about every person.

let portal: TestPortal
let letters: { letter: string; inDatabase: string[] }[]

beforeAll(async () => {
  portal = await startPortal()
  letters = await differingLetters()
})
afterAll(() => portal.close())

async function differingLetters(): Promise<typeof letters> {
  const { pool } = portal.parts.database
  const all = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter((letter) =>
    /[\p{L}\p{M}\p{N}]/u.test(letter),
  )
  const lowered = all.map((letter) => ({ letter, inDatabase: new Set<string>() }))
  const { rows: collations } = await pool.query<{ name: string }>(
    `SELECT quote_ident(collname) AS name FROM pg_collation
     WHERE collname IN ('C', 'pg_c_utf8', 'pg_unicode_fast', 'und-x-icu', 'tr-x-icu')`,
  )
  expect(collations.length).toBeGreaterThan(2)
  for (const { name } of collations) {
    const { rows } = await pool.query<{ lower: string[] }>(
      `SELECT array_agg(lower(letter COLLATE ${name}) ORDER BY at) AS lower
       FROM unnest($1::text[]) WITH ORDINALITY AS letters (letter, at)`,
      [all],
    )
    for (const [at, lower] of (rows[0]?.lower ?? []).entries()) {
      if (lower !== all[at]?.toLowerCase()) lowered[at]?.inDatabase.add(lower)
    }
  }
  return lowered
    .filter(({ inDatabase }) => inDatabase.size > 0)
    .map(({ letter, inDatabase }) => ({ letter, inDatabase: [...inDatabase] }))
}

test.each([
  ['before the @', (text: string) => `x${text}y@keys.example`],
  ['after the @', (text: string) => `x@a${text}b.keys.example`],
])('each letter %s finds only the person with its key', async (_place, address) => {
  const { db } = portal.parts.database
  expect(letters.length).toBeGreaterThan(1200)
  const known = new Map<string, string>()
  await db.transaction().execute(async (tx) => {
    for (const { letter } of letters) {
      const key = emailKey(address(letter))
      // UTS 46 refuses some in a domain.
      if (key !== null) known.set(key, (await requirePersonWith(tx, address(letter))).id)
    }
  })
  expect(known.size).toBeGreaterThan(900)
  const wrong: string[] = []
  await Promise.all(
    letters.map(async ({ letter, inDatabase }) => {
      for (const written of new Set([letter, letter.toLowerCase(), letter.toUpperCase(), ...inDatabase])) {
        const key = emailKey(address(written))
        const found = await selectPerson(db, address(written))
        if ((found?.id ?? null) !== (key === null ? null : (known.get(key) ?? null))) wrong.push(written)
      }
    }),
  )
  expect(wrong).toEqual([])
  const { rows } = await portal.parts.database.pool.query<{ email: string; email_key: string }>(
    `SELECT email, email_key FROM portico.persons WHERE email_key LIKE '%keys.example'`,
  )
  expect(rows.filter((row) => emailKey(row.email) !== row.email_key)).toEqual([])
})

test('the domain of a key equals `domainToASCII`, for every letter, mark and digit', () => {
  const differing = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter((character) => {
    if (!/[\p{L}\p{M}\p{N}.\u3002\uFF0E\uFF61]/u.test(character)) return false
    const domain = `x${character}z.example`
    const key = emailKey(`a@${domain}`)
    return key !== null && key !== `a@${domainToASCII(domain)}`
  })
  expect(differing).toEqual([])
})

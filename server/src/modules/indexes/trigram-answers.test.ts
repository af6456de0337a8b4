import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listContactFields } from '#contacts'
import { compilePipeline, openContactSource } from '#filters'
import { type Db, inTransaction, setLocally } from '#platform/database.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { hostileTexts } from '#test/oracles/hostile-texts.ts'
import { type Draw, drawsOf } from '#test/oracles/random-filters.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { createIndex, trigramIndex } from './physical-indexes.queries.ts'
import { requireTrigrams } from './trigram-support.ts'

// A trigram index may only make searches faster: it finds what reading all texts finds, whatever their letters are.

// Letters whose small form depends on their place, has several letters, or is that of another letter; and what separates.
const pieces = [
  'ΟΔΟΣ',
  'οδος',
  'οδοσ',
  'ΑΣ',
  'İstanbul',
  'ISTANBUL',
  'ıstanbul',
  'Straße',
  'STRASSE',
  'STRAẞE',
  'ſage',
  'SAGE',
  '\u212aelvin',
  'kelvin',
  '\u212bngström',
  'ångström',
  'a\u030angstrom',
  'Džep',
  'džep',
  'DŽEP',
  'ﬀix',
  'Москва',
  'МОСКВА',
  '東京都',
  'かが',
  '한국',
  '🙂abc🙂',
  'e\u0301te\u0301',
  'été',
  'ÉTÉ',
  '100%',
  'a_b',
  'a\\b',
  "o'neil",
  'x@y.example',
  'AbCdEf',
  '',
  ' ',
  '\t',
  '  two  blanks ',
  '.*+?^${}()|[]\\',
  '%_%',
  '\\%',
  'µΜ',
  'ϐβ',
  'Ꭰꭰ',
  'Აა',
  'ÿŸ',
  'Ǆ',
  'ǅ',
  'ǆ',
]
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
const known = [...pieces, ...hostileTexts.filter(isStorable)]

let portal: TestPortal
let account: number
let texts: string[]
beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account()
  const { database } = portal.parts
  const draw = drawsOf(11)
  const joined = Array.from({ length: 500 }, () =>
    [draw.one(known), draw.one(known), draw.one(known)].join(draw.one(['', ' '])),
  )
  texts = [...known, ...joined]
  await addContacts(database, account, { Text: 'string' }, [])
  await database.pool.query(
    `INSERT INTO account_${account}.contacts (id, import_id, c1)
     SELECT (1::bigint << 33) + place, 1, text FROM unnest($1::text[]) WITH ORDINALITY AS t (text, place)`,
    [[...texts, null, null]],
  )
  const [field] = await listContactFields(database.db, account)
  await createIndex(database.db, account, trigramIndex(1, field!, await requireTrigrams(database.db)))
})
afterAll(() => portal.close())

async function statement(find: object, select: RawBuilder<unknown>): Promise<RawBuilder<unknown>> {
  const { resolve, from } = (await openContactSource(portal.parts.database.db, account, { rows: null })).scope()
  const { where } = compilePipeline([{ $match: { Text: find } }], resolve)
  return sql`${select} FROM ${from()} WHERE ${where ?? sql`TRUE`}`
}

/** Makes the database use the index, or none. */
async function choose(tx: Db, usesIndex: boolean): Promise<void> {
  await setLocally(tx, 'enable_seqscan', usesIndex ? 'off' : 'on')
  await setLocally(tx, 'enable_indexscan', 'off')
  await setLocally(tx, 'enable_bitmapscan', usesIndex ? 'on' : 'off')
}

async function found(finds: readonly object[], usesIndex: boolean): Promise<string[]> {
  return inTransaction(portal.parts.database.db, async (tx) => {
    await choose(tx, usesIndex)
    const answers: string[] = []
    for (const find of finds) {
      const select = sql`SELECT coalesce(string_agg(contacts.id::text, ' ' ORDER BY contacts.id), '') AS ids`
      const { rows } = await (await statement(find, select)).execute(tx)
      answers.push((rows[0] as { ids: string }).ids)
    }
    return answers
  })
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

function drawPattern(draw: Draw): { $regex: string; $options?: 'i' } {
  const letters = Array.from(draw.one(texts))
  const start = draw.below(Math.max(1, letters.length))
  const part = letters.slice(start, start + draw.below(9)).join('')
  const spelled = escape(draw.one([part, part, part.toUpperCase(), part.toLowerCase()]))
  const shape = draw.one<(text: string) => string>([
    (text) => text,
    (text) => text,
    (text) => `^${text}`,
    (text) => `${text}$`,
    (text) => `${text}.?${escape(draw.one(pieces).slice(0, 3))}`,
    (text) => `(${text}|abc)`,
    (text) => `${text}(abc)?`,
    (text) => `\\b${text}`,
    (text) => `${text}\\w`,
  ])
  return { $regex: shape(spelled), ...(draw.chance(0.5) && { $options: 'i' as const }) }
}

const isValid = ({ $regex }: { $regex: string }): boolean => $regex.isWellFormed()

test('hostile and random patterns find the same with the index as without', async () => {
  const draw = drawsOf(7)
  const whole = pieces.flatMap((text) => [{ $regex: escape(text) }, { $regex: escape(text), $options: 'i' as const }])
  const finds = [...whole, ...Array.from({ length: 200 }, () => drawPattern(draw)).filter(isValid)]
  const [withIndex, without] = [await found(finds, true), await found(finds, false)]
  const differing = finds.filter((_find, at) => withIndex[at] !== without[at])
  expect(differing.map((find) => JSON.stringify(find)).join('\n')).toBe('')
  expect(without.filter((ids) => ids !== '').length).toBeGreaterThan(150)
})

test('the index is what finds a part of a text', async () => {
  const explain = async (find: object, usesIndex: boolean) =>
    inTransaction(portal.parts.database.db, async (tx) => {
      await choose(tx, usesIndex)
      const { rows } = await (await statement(find, sql`EXPLAIN SELECT contacts.id`)).execute(tx)
      return JSON.stringify(rows)
    })
  for (const find of [
    { $regex: 'elvi', $options: 'i' },
    { $regex: 'elvi' },
    { $regex: 'elvin$' },
    { $regex: '^kelv' },
    { $regex: 'k.lvi' },
  ]) {
    expect(await explain(find, true)).toContain('trigram_index_1')
    expect(await explain(find, false)).not.toContain('trigram_index_1')
  }
})

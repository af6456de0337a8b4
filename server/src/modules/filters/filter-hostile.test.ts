import type { FieldType } from '@portico/contract/contacts'
import { foldName } from '@portico/domain/names'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { hostileTexts } from '#test/oracles/hostile-texts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member
let account: number
let before: unknown

const types: Record<string, FieldType> = { Text: 'string', Age: 'number', Since: 'date' }

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account()
  member = await portal.member(account)
  const storable = hostileTexts.filter((text) => isStorable(text) && text !== ' ')
  await addContacts(
    portal.parts.database,
    account,
    types,
    storable.map((text) => ({ Text: text, Age: 1, Since: '2026-01-01T00:00:00Z' })),
  )
  await portal.parts.database.pool.query(
    `INSERT INTO account_${account}.events (id, contact_id, event_code, event_date, is_trigger, details)
     SELECT gen_random_uuid(), id, 'open', '2026-01-01', false, jsonb_build_object('k', c1) FROM account_${account}.contacts`,
  )
  before = await everything()
})
afterAll(() => portal.close())

/** PostgreSQL cannot store NUL or half a surrogate pair. */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** The tables, settings and data of this account. */
async function everything(): Promise<unknown> {
  const { pool } = portal.parts.database
  const tables = await pool.query(
    `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
     WHERE table_schema LIKE 'account%' OR table_schema IN ('portico', 'jobs') ORDER BY 1`,
  )
  const counts = await pool.query(
    `SELECT (SELECT count(*) FROM account_${account}.contacts) AS contacts,
       (SELECT count(*) FROM account_${account}.events) AS events, (SELECT count(*) FROM portico.persons) AS persons`,
  )
  return { tables: tables.rows as unknown[], counts: counts.rows as unknown[] }
}

const get = (query: Record<string, string>) =>
  member.get(`/contact-service/v1/offers?${new URLSearchParams(query).toString()}`)
const aggregate = (...stages: unknown[]) => get({ aggregate: JSON.stringify(stages) })
const find = (match: unknown) => get({ find: JSON.stringify([{ $match: match }]) })
/** An object with one property of any name, even `__proto__`. */
const named = (name: string, value: unknown): unknown =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)

/** Every position of the language that accepts a text from the user. */
const positions: Record<string, (text: string) => Promise<{ status: number; body: unknown }>> = {
  'a field of $match': (text) => find(named(text, 'x')),
  'a value': (text) => find({ $or: [{ Text: text }, { Text: { $in: [text] } }, { Text: { $gte: text } }] }),
  'a value of another type': (text) => find({ Since: text }),
  'a number': (text) => find({ Age: { $gt: text } }),
  'an id': (text) => find({ _id: { $in: [text] } }),
  'an operator': (text) => find({ Text: named(text, 'x') }),
  'an operator of the contact': (text) => find({ location: named(text, {}) }),
  'a $regex': (text) => find({ Text: { $regex: text } }),
  'a $regex without case': (text) => find({ Text: { $regex: text, $options: 'i' } }),
  $options: (text) => find({ Text: { $regex: 'x', $options: text } }),
  $search: (text) => find({ $text: { $search: text } }),
  'an operator of $text': (text) => find({ $text: named(text, 'x') }),
  'a field of events': (text) => find({ events: { $elemMatch: named(text, 'x') } }),
  'a value of events': (text) => find({ events: { $elemMatch: { k: text, browser: { $ne: text } } } }),
  'an operator of events': (text) => find({ events: named(text, { k: 1 }) }),
  'a shape': (text) => find({ location: { $geoWithin: named(text, [[0, 0], 1]) } }),
  'a stage': (text) => aggregate(named(text, {})),
  'a saved filter': (text) => aggregate({ $predefined: text }),
  $unwind: (text) => aggregate({ $unwind: text }),
  'a field of $unwind': (text) => aggregate({ $unwind: '$events' }, { $group: { _id: `$events.${text}` } }),
  'a key': (text) => aggregate({ $group: { _id: `$${text}` } }),
  'a name of a key': (text) => aggregate({ $group: { _id: named(text, '$Text') } }),
  'an operator of a key': (text) => aggregate({ $group: { _id: { x: named(text, '$Since') } } }),
  'a name in $group': (text) => aggregate({ $group: { _id: '$Text', ...(named(text, { $sum: 1 }) as object) } }),
  'an accumulator': (text) => aggregate({ $group: { _id: null, x: named(text, '$Age') } }),
  'what is summed up': (text) => aggregate({ $group: { _id: null, x: { $sum: `$${text}` } } }),
  'what is distinct': (text) => aggregate({ $group: { _id: null, x: { $size: { $addToSet: text } } } }),
  'a computed name': (text) => aggregate({ $addFields: named(text, { $add: ['$Age', 1] }) }),
  'a constant': (text) => aggregate({ $addFields: { x: { $concat: [text, { $literal: text }] } } }),
  'an operator of an expression': (text) => aggregate({ $addFields: { x: named(text, ['$Age', 1]) } }),
  'a projected name': (text) => aggregate({ $project: named(text, 1) }),
  'a projected name left out': (text) => aggregate({ $project: named(text, 0) }),
  'a projected expression': (text) => aggregate({ $project: named(text, '$Text') }, { $sort: named(text, 1) }),
  'a name of $count': (text) => aggregate({ $count: text }),
  'what $sort sorts by': (text) => aggregate({ $sort: named(text, 1) }),
  sort: (text) => get({ sort: JSON.stringify(named(text, 1)) }),
  'a sort order': (text) => get({ sort: JSON.stringify({ Text: text }) }),
  select: (text) => get({ select: `"${text.replaceAll('"', '""')}"` }),
  'a bare select': (text) => get({ select: text }),
  after: (text) => get({ after: text }),
  find: (text) => get({ find: text }),
  'the text of aggregate': (text) => get({ aggregate: text }),
  limit: (text) => get({ limit: text }),
}

test('the corpus is large', () => {
  expect(hostileTexts.length).toBeGreaterThan(200)
})

test.each(Object.entries(positions))('%s', { timeout: 120_000 }, async (_place, ask) => {
  const start = performance.now()
  for (const text of hostileTexts) {
    const { status, body } = await ask(text)
    const code = status === 200 ? 'none' : (body as { error: { code: string } }).error.code
    expect({ text, outcome: `${status} ${code}` }).toEqual({
      text,
      outcome: expect.stringMatching(/^(200 none|400 invalid_(input|filter))$/) as string,
    })
  }
  // No query slept or retried endlessly.
  expect((performance.now() - start) / hostileTexts.length).toBeLessThan(250)
  expect(await everything()).toEqual(before)
})

test('a text matches only itself and is returned unchanged', async () => {
  for (const text of hostileTexts.filter((one) => isStorable(one) && one !== ' ')) {
    expect((await find({ Text: text })).body).toMatchObject([{ Text: text }])
    expect((await find({ events: { $elemMatch: { k: text } } })).body).toMatchObject([{ Text: text }])
    const [row] = (
      await aggregate({ $match: { Text: text } }, { $addFields: { x: { $concat: ['<', { $literal: text }, '>'] } } })
    ).body as { x: string }[]
    expect(row?.x).toBe(`<${text}>`)
  }
})

test('any text that names a field is read as that field', async () => {
  const own = await portal.account()
  const reader = await portal.member(own)
  // Names are unique by their fold, and have at most 200 characters.
  const names = [...new Map(hostileTexts.filter(isFieldName).map((name) => [foldName(name), name])).values()]
  const row = Object.fromEntries(names.map((name, at) => [name, `value ${at}`]))
  await addContacts(portal.parts.database, own, Object.fromEntries(names.map((name) => [name, 'string' as const])), [
    row,
  ])
  for (const [at, name] of names.entries()) {
    const stages = [
      { $match: named(name, `value ${at}`) },
      { $group: { _id: named('key', `$${name}`), x: { $max: `$${name}` } } },
    ]
    const answer = await reader.get(
      `/contact-service/v1/offers?${new URLSearchParams({ aggregate: JSON.stringify(stages) }).toString()}`,
    )
    expect([name, answer.body]).toEqual([name, [{ key: `value ${at}`, x: `value ${at}` }]])
  }
})

const isFieldName = (text: string) =>
  isStorable(text) && text.trim() !== '' && text.length <= 200 && !['__proto__', '_id'].includes(text)

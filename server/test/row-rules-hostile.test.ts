import type { Stages } from '@portico/contract/filter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runExport } from '#exports'
import { downloadExport, exportDraft } from '#test/resources/exports.ts'
import { drawHostileMatch, drawHostileStages, escaped } from '#test/oracles/hostile-filters.ts'
import { matches, type Stored, type Types } from '#test/oracles/naive-filter.ts'
import { pie } from '#test/resources/dashboards.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type Draw, drawsOf } from '#test/oracles/random-filters.ts'
import { isLong, rounds } from '#test/processes/rounds.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'
import { addStored } from '#test/resources/stored-contacts.ts'

// A person with a row rule gets the same replies as a person without one in an account that holds only the contacts of
// the rule. A naive implementation in JavaScript selects these contacts.

// FILTER_SEED=… repeats a run. In the suite, the queries are always the same, and use every operator.
const seed = Number(process.env['FILTER_SEED'] ?? (isLong ? Date.now() % 1_000_000 : 1))
const questions = rounds(80, 220)

const types: Types = { Name: 'string', City: 'string', Age: 'number' }
const bern = { City: 'Bern' }
const rules: Stages[] = [
  [{ $match: bern }],
  [{ $match: { $or: [bern, { $and: [{ City: 'Lyon' }, { Age: { $gt: 40 } }] }] } }],
  [{ $match: { $nor: [{ City: 'Lyon' }, { City: { $exists: false } }] } }, { $match: { Age: { $lt: 50 } } }],
  [{ $match: { City: { $regex: '^B.rn$' }, events: { $elemMatch: { event_code: 'visit' } } } }],
]
const cities = [
  'Bern',
  'Bern',
  'Bern',
  'Lyon',
  'bern',
  'Ｂｅｒｎ',
  'Be\u0301rn',
  'Bern\u200B',
  'B%rn',
  '"City":"Bern"',
  '\\u0042ern',
]

type World = {
  rule: Stages
  /** Sees the contacts that the rule lets through. */
  restricted: Member
  /** Sees all contacts of an account that has no others. */
  whole: Member
  owner: Member
  visible: ReadonlySet<string>
  hidden: readonly Stored[]
}

let portal: TestPortal
const worlds: World[] = []

function drawContact(draw: Draw, at: number): Stored {
  const values: Stored['values'] = new Map<string, string | number>([['Age', 20 + draw.below(50)]])
  if (draw.chance(0.9)) values.set('City', draw.one(cities))
  const code = draw.one(['visit', 'buy', ''])
  const event = new Map<string, string | number | boolean>([
    ['event_code', code],
    ['event_date', '2026-05-06T07:08:09.000Z'],
  ])
  return { id: String(at), values, events: code === '' ? [] : [event] }
}

beforeAll(async () => {
  portal = await startPortal()
  const { database } = portal.parts
  for (const [number, rule] of rules.entries()) {
    const drawn = Array.from({ length: 50 }, (_, at) => drawContact(drawsOf(seed + number * 1000 + at), at))
    const isVisible = (contact: Stored) => rule.every((stage) => matches(contact, stage['$match'], types))
    const { true: seen = [], false: unseen = [] } = Object.groupBy(drawn, (contact) => `${isVisible(contact)}` as const)
    for (const [at, contact] of seen.entries()) contact.values.set('Name', `Person ${at % 7}`)
    for (const [at, contact] of unseen.entries()) contact.values.set('Name', `Hidden ${at % 7}`)
    const [account, twin] = [await portal.account(), await portal.account()]
    // The same come first in both, which gives them the same ids.
    const visible = await addStored(database, twin, types, seen)
    const all = await addStored(database, account, types, [...seen, ...unseen])
    if (visible.some(({ id }, at) => all[at]?.id !== id)) throw new Error('the accounts have other ids')
    worlds.push({
      rule,
      restricted: await restrictedMember(portal, account, rule),
      whole: await portal.member(twin),
      owner: await portal.member(account),
      visible: new Set(visible.map(({ id }) => id)),
      hidden: all.slice(visible.length),
    })
  }
}, 120_000)
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
const seen = { ok: 0, refused: 0, found: 0 }
const operators = '$and $or $nor $not $eq $ne $gt $gte $lt $lte $in $nin $exists $regex $options $elemMatch'.split(' ')
const stages = '$match $sort $skip $addFields $unwind $count $group'.split(' ')
const refusedOperators = '$where $expr $comment $jsonSchema'.split(' ')
const refusedStages = '$unionWith $lookup $facet $out'.split(' ')

/** Operators and stages of the queries that succeeded, and of those that were refused. */
const asked = { ok: new Set<string>(), refused: new Set<string>() }

async function compare(world: World, told: unknown, ask: (client: Client) => Promise<Answer>): Promise<Answer> {
  const [restricted, whole] = await Promise.all([ask(world.restricted), ask(world.whole)])
  const what = { rule: world.rule, told }
  expect({ ...what, status: restricted.status, body: restricted.body }).toEqual({
    ...what,
    status: whole.status,
    body: whole.body,
  })
  expect(JSON.stringify(restricted.body)).not.toContain('Hidden ')
  const outcome = whole.status === 200 ? 'ok' : 'refused'
  seen[outcome] += 1
  const question: unknown = typeof told === 'string' && told.startsWith('[{') ? JSON.parse(told) : told
  for (const name of operatorsIn(question)) asked[outcome].add(name)
  return restricted
}

/** Returns the names of operators and stages in a query. */
function operatorsIn(question: unknown): string[] {
  if (typeof question !== 'object' || question === null) return []
  const own = Array.isArray(question) ? [] : Object.keys(question).filter((name) => /^\$[a-z]/i.test(name))
  return [...own, ...Object.values(question).flatMap((value) => operatorsIn(value))]
}

const idsOf = ({ status, body }: Answer): string[] =>
  status === 200 ? (body as { _id: string }[]).map(({ _id }) => _id) : []

describe(`a row rule behaves as if there were no other contacts (FILTER_SEED=${seed})`, () => {
  test.each(rules.map((_rule, number) => number))(
    'in searches, counts and pipelines, by rule %i',
    { timeout: 240_000 },
    async (number) => {
      const world = worlds[number] as World
      for (let question = 0; question < questions; question += 1) {
        const draw = drawsOf(seed * 1000 + number * 100_000 + question)
        const text = escaped(draw, JSON.stringify([{ $match: drawHostileMatch(draw) }]))
        const find = `find=${encodeURIComponent(text)}`
        const sort = `sort=${encodeURIComponent('{"_id":1}')}`
        const page = await compare(world, text, (client) => client.get(`${offers}?${find}&${sort}&limit=100`))
        const ids = idsOf(page)
        expect(ids.filter((id) => !world.visible.has(id))).toEqual([])
        seen.found += ids.length > 0 ? 1 : 0
        const after = ids[0] ?? '1'
        await compare(world, text, (client) => client.get(`${offers}?${find}&after=${after}`))
        await compare(world, text, (client) => client.get(`${offers}?${find}&count=`))
        const stages = escaped(draw, JSON.stringify(drawHostileStages(draw)))
        await compare(world, stages, (client) => client.get(`${offers}?aggregate=${encodeURIComponent(stages)}`))
        const typed = draw.one(['hidden', 'Pers', 'Bern', 'lyon', '0', '%', 'H', '"', 'Ｂ'])
        await compare(world, typed, (client) => client.get(`${offers}/suggestions?text=${encodeURIComponent(typed)}`))
      }
    },
  )

  test('in previews of cells', { timeout: 120_000 }, async () => {
    for (const [number, world] of worlds.entries()) {
      for (let question = 0; question < 25; question += 1) {
        const draw = drawsOf(seed * 7 + number * 100_000 + question)
        const standard = [{ $match: drawHostileMatch(draw) }, { $group: { _id: '$City', n: { $sum: 1 } } }]
        const chart = { ...pie('Cities'), filter: { standard } }
        const answer = (client: Client) => client.post('/contact-service/v1/dashboards/previews', { chart })
        const [restricted, whole] = await Promise.all([answer(world.restricted), answer(world.whole)])
        const rowsOf = ({ status, body }: Answer) => ({ status, rows: (body as { rows?: unknown }).rows })
        expect({ standard, ...rowsOf(restricted) }).toEqual({ standard, ...rowsOf(whole) })
      }
    }
  })

  test('in files of exports', { timeout: 120_000 }, async () => {
    for (const [number, world] of worlds.entries()) {
      for (let question = 0; question < 12; question += 1) {
        const draw = drawsOf(seed * 11 + number * 100_000 + question)
        const aggregateQuery = JSON.stringify([{ $match: drawHostileMatch(draw) }])
        const draft = () => exportDraft(['Name', 'City', 'Age'], { aggregateQuery })
        const asked = await Promise.all(
          [world.restricted, world.whole].map((by) => by.post('/contact-service/v1/exports', draft())),
        )
        const [status] = asked.map((each) => each.status)
        expect(asked.map((each) => each.status)).toEqual([status, status])
        if (status !== 201) continue
        const files = []
        for (const [at, by] of [world.restricted, world.whole].entries()) {
          const id = asked[at]?.json<{ _id: string }>()._id ?? ''
          await runExport(portal.parts, by.account, id, new AbortController().signal)
          files.push((await downloadExport(portal, by, `${id}.csv`)).text)
        }
        expect({ aggregateQuery, file: files[0] }).toEqual({ aggregateQuery, file: files[1] })
        expect(files[0]).not.toContain('Hidden ')
      }
    }
  })

  test('when contacts are read by id', async () => {
    for (const { restricted, hidden, visible } of worlds) {
      for (const { id } of hidden.slice(0, 5))
        expect(await restricted.get(`${offers}/${id}`)).toMatchObject({ status: 404 })
      for (const id of [...visible].slice(0, 2))
        expect(await restricted.get(`${offers}/${id}`)).toMatchObject({ status: 200 })
    }
  })

  // The last test, since it deletes the contacts.
  test('in deletes, which leave all others', { timeout: 120_000 }, async () => {
    for (const [number, world] of worlds.entries()) {
      let deleted = 0
      for (let question = 0; question < 25; question += 1) {
        const draw = drawsOf(seed * 13 + number * 100_000 + question)
        const filter = [{ $match: question === 24 ? {} : drawHostileMatch(draw) }]
        const find = `find=${encodeURIComponent(JSON.stringify(filter))}`
        const counted = await world.whole.get(`${offers}?${find}&count=`)
        const count = counted.status === 200 ? counted.json<{ count: number }>().count : 1
        if (count === 0) continue
        const answer = await compare(world, filter, (client) =>
          client.delete(offers, { filter, deletedRecords: count }),
        )
        deleted += answer.status === 200 ? count : 0
      }
      expect(deleted).toBe(world.visible.size)
      expect((await world.restricted.get(`${offers}?count=`)).body).toEqual({ count: 0 })
      const left = (await world.owner.get(`${offers}?select=_id&limit=100`)).json<{ _id: string }[]>()
      expect(left.map(({ _id }) => _id).toSorted()).toEqual(world.hidden.map(({ id }) => id).toSorted())
    }
    // Refusals alone would prove little.
    expect(seen.ok).toBeGreaterThan(questions * 5)
    expect(seen.refused).toBeGreaterThan(questions)
    expect(seen.found).toBeGreaterThan(questions / 2)
    expect([...asked.ok]).toEqual(expect.arrayContaining([...operators, ...stages]))
    expect([...asked.refused]).toEqual(expect.arrayContaining([...refusedOperators, ...refusedStages]))
  })
})

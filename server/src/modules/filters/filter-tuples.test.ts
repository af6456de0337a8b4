import { afterAll, beforeAll, expect, test } from 'vitest'
import { matches, type Stored } from '#test/oracles/naive-filter.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import { type Draw, drawsOf, fieldTypes, timeZone } from '#test/oracles/random-filters.ts'
import { startWithDrawn } from '#test/resources/stored-contacts.ts'

// FILTER_SEED=… repeats a run.
const seed = Number(process.env['FILTER_SEED'] ?? Date.now() % 1_000_000)

let portal: TestPortal
let member: Member
let contacts: Stored[]

beforeAll(async () => {
  ;({ portal, member, contacts } = await startWithDrawn(drawsOf(seed), 400))
}, 60_000)
afterAll(() => portal.close())

type Asked = Record<string, unknown>

const contactFields = Object.keys(fieldTypes)
const eventFields = ['event_code', 'browser', 'page', 'price', 'event_date', 'is_trigger']
const parts = ['$year', '$month', '$dayOfMonth', '$hour', '$dayOfWeek']

/** A test of a field with the value that a row has; sometimes with a list, no value, or a part of a date. */
function drawTest(draw: Draw, field: string, valueOf: () => unknown): unknown {
  const isDate = ['Since', 'Born', 'event_date'].includes(field)
  if (isDate && draw.chance(0.4)) return { [draw.one(parts)]: draw.below(31) }
  const value = valueOf() ?? null
  return draw.chance(0.3) ? { $in: [value, valueOf() ?? null] } : value
}

/** Alternatives that test the same fields, mostly with values that rows have. */
function drawAlternatives(draw: Draw, fields: string[], rows: readonly ReadonlyMap<string, unknown>[]): Asked {
  const two = draw.chance(0.2) ? [draw.one(fields)] : [draw.one(fields), draw.one(fields)]
  const branches = Array.from({ length: 5 + draw.below(120) }, () => {
    const row = draw.one(rows)
    const tests = two.map((field) => ({
      [field]: drawTest(draw, field, () => (draw.chance(0.2) ? draw.one(rows) : row).get(field)),
    }))
    return draw.chance(0.5) ? { $and: tests } : Object.assign({}, ...tests)
  }) as Asked[]
  return { [draw.chance(0.2) ? '$nor' : '$or']: branches }
}

/**
 * Alternatives that test a contact and one event of it, like the groups of a chart by both; sometimes with further
 * tests of the event.
 */
function drawMixed(draw: Draw, stored: readonly Stored[]): Asked {
  const withEvents = stored.filter(({ events = [] }) => events.length > 0)
  const [field, other] = [draw.one(contactFields), draw.one(eventFields)]
  const shared = draw.chance(0.5) ? [{ event_date: { $gte: '2020-01-01' } }, { event_code: { $ne: 'x' } }] : []
  const branches = Array.from({ length: 5 + draw.below(120) }, () => {
    const contact = draw.one(withEvents)
    const event = draw.one(draw.chance(0.2) ? (draw.one(withEvents).events ?? []) : (contact.events ?? []))
    const ofEvent = { [other]: drawTest(draw, other, () => event.get(other)) }
    const events = { $elemMatch: shared.length > 0 ? { $and: [...shared, ofEvent] } : ofEvent }
    const ofContact = { [field]: drawTest(draw, field, () => contact.values.get(field)) }
    return draw.chance(0.5) ? { $and: [ofContact, { events }] } : { ...ofContact, events }
  })
  return { [draw.chance(0.2) ? '$nor' : '$or']: branches }
}

const find = (stages: unknown, more = '') =>
  member.get(`/contact-service/v1/offers?find=${encodeURIComponent(JSON.stringify(stages))}${more}`)

test(`alternatives find the same as a naive implementation (FILTER_SEED=${seed})`, { timeout: 120_000 }, async () => {
  const events = contacts.flatMap((contact) => contact.events ?? [])
  const values = contacts.map((contact) => contact.values)
  let some = 0
  for (let at = 0; at < 200; at++) {
    const draw = drawsOf(seed * 1000 + at)
    const match = draw.chance(0.4)
      ? drawMixed(draw, contacts)
      : draw.chance(0.6)
        ? drawAlternatives(draw, contactFields, values)
        : { events: { $elemMatch: drawAlternatives(draw, eventFields, events) } }
    const expected = contacts.filter((contact) => matches(contact, match, fieldTypes, timeZone)).map(({ id }) => id)
    const answer = await find([{ $match: match }], '&sort={"_id":1}&limit=1000&select=_id')
    const found = answer.status === 200 ? answer.json<{ _id: string }[]>().map(({ _id }) => _id) : answer.body
    expect({ match: JSON.stringify(match), found }).toEqual({ match: JSON.stringify(match), found: expected })
    if (expected.length > 0 && expected.length < contacts.length) some++
  }
  expect(some).toBeGreaterThan(100)
})

test('thousands of alternatives with the same fields count as one condition, others as one each', async () => {
  const pairs = Array.from({ length: 5000 }, (_value, at) => ({ Name: `name ${at}`, Age: at }))
  expect(await find([{ $match: { $or: pairs } }], '&count=')).toMatchObject({ status: 200, body: { count: 0 } })
  const mixed = pairs.map(({ Name, Age }) => ({ Name, events: { $elemMatch: { price: Age, is_trigger: true } } }))
  expect(await find([{ $match: { $or: mixed } }], '&count=')).toMatchObject({ status: 200, body: { count: 0 } })
  const tooMany = Array.from({ length: 10_001 }, (_value, at) => ({ Age: at }))
  expect(await find([{ $match: { $or: tooMany } }])).toMatchObject({ status: 400 })
  const hours = Array.from({ length: 744 }, (_value, at) => ({
    $and: [{ Since: { $dayOfMonth: 1 + (at % 31) } }, { Since: { $hour: at % 24 } }],
  }))
  const dated = contacts.filter(({ values }) => values.has('Since')).length
  expect(await find([{ $match: { $or: hours } }], '&count=')).toMatchObject({ status: 200, body: { count: dated } })
  const ranges = pairs.slice(0, 1001).map(({ Age }) => ({ Age: { $gt: Age } }))
  expect(await find([{ $match: { $or: ranges } }])).toMatchObject({
    status: 400,
    body: { error: { message: 'A filter takes at most 1000 conditions.' } },
  })
})

test('long lists of several fields are compared separately to limit memory', async () => {
  const list = Array.from({ length: 3000 }, (_value, at) => at)
  const branch = { Age: { $in: list }, Score: { $in: list } }
  expect(await find([{ $match: { $or: [branch] } }], '&count=')).toMatchObject({ status: 200 })
})

test('values that cannot be compared are refused as elsewhere', async () => {
  for (const [name, value, message] of [
    ['Member', 'yes', '"Member" can be compared with true or false'],
    ['Nowhere', 'x', 'Unexpected field in standard filter: "Nowhere"'],
    ['Name', { $in: 'x' }, '"$in" of "Name" needs a list of values.'],
    ['Name', { $hour: 1 }, '"$hour" needs a date; "Name" is not.'],
    ['Since', { $hour: 1.5 }, '"$hour" of "Since" needs a whole number.'],
    ['Name', { $all: [] }, 'Unknown Operator: "$all"'],
  ] as const) {
    const branches = Array.from({ length: 30 }, (_value, at) => ({ Age: at, [name]: value }))
    const answer = await find([{ $match: { $or: branches } }])
    expect(answer).toMatchObject({ status: 400 })
    expect(answer.json<{ error: { message: string } }>().error.message).toContain(message)
  }
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A field of days and one of moments, in an account of New York (ADR 0065).

const people = [
  { Name: 'Ada', Born: '2024-04-25', Seen: '2024-04-25T04:00:00Z' },
  { Name: 'Bob', Born: '2024-04-26', Seen: '2024-04-26T03:59:59Z' },
  { Name: 'Cleo', Born: '2023-12-31', Seen: '2024-01-01T04:59:59Z' },
  { Name: 'Dan' },
]

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  const { database } = portal.parts
  const account = await portal.account()
  await database.pool.query(`UPDATE portico.accounts SET time_zone = 'America/New_York' WHERE id = $1`, [account])
  member = await portal.member(account)
  await addContacts(database, account, { Name: 'string', Born: 'day', Seen: 'date' }, people)
})
afterAll(() => portal.close())

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))
async function ask<T>(query: string): Promise<T[]> {
  const answer = await member.get(`/contact-service/v1/offers?${query}`)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<T[]>()
}
const found = async (match: object) =>
  (await ask<{ Name: string }>(`find=${json([{ $match: match }])}&sort=${json({ Name: 1 })}`)).map(({ Name }) => Name)
const rowsOf = (...stages: object[]) => ask<Record<string, unknown>>(`aggregate=${json(stages)}`)

describe('a filter on days', () => {
  test.each([
    [{ Born: '2024-04-25' }, ['Ada']],
    [{ Born: { $ne: '2024-04-25' } }, ['Bob', 'Cleo', 'Dan']],
    [{ Born: { $gt: '2024-04-25' } }, ['Bob']],
    [{ Born: { $gte: '2024-04-25', $lt: '2024-04-26' } }, ['Ada']],
    [{ Born: { $lte: '2024-04-25' } }, ['Ada', 'Cleo']],
    [{ Born: { $in: ['2024-04-25', '2023-12-31', null] } }, ['Ada', 'Cleo', 'Dan']],
    [{ Born: null }, ['Dan']],
    [{ Born: { $year: 2024, $month: 4, $dayOfMonth: 26 } }, ['Bob']],
    // Thursday.
    [{ Born: { $dayOfWeek: 5 } }, ['Ada']],
    [{ Born: { $hour: 0 } }, ['Ada', 'Bob', 'Cleo']],
  ])('%j finds %j', async (match, names) => expect(await found(match)).toEqual(names))

  test('compares a moment as its day in the time zone of the account', async () => {
    expect(await found({ Born: '2024-04-26T03:59:59Z' })).toEqual(['Ada'])
    expect(await found({ Born: '2024-04-26T04:00:00Z' })).toEqual(['Bob'])
    expect(await found({ Born: { $gte: '2024-04-25T23:00:00-04:00', $lt: '2024-04-26T23:00:00-04:00' } })).toEqual([
      'Ada',
    ])
    expect(await found({ Born: { $in: ['2024-04-26T03:59:59Z', '2024-04-26'] } })).toEqual(['Ada', 'Bob'])
  })

  test.each([
    ['soon', 'compared with a date such as 2026-01-31, not with'],
    ['2024-02-30', 'compared with a date such as 2026-01-31, not with'],
    [5, 'compared with a date such as 2026-01-31, not with'],
  ])('refuses %j', async (value, message) => {
    const answer = await member.get(`/contact-service/v1/offers?find=${json([{ $match: { Born: value } }])}`)
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_filter', message: expect.stringContaining(message) as string } },
    })
  })
})

test('rows, groups, minimum, maximum and computed fields return days as days', async () => {
  expect(
    await ask(`find=${json([{ $match: { Name: 'Ada' } }])}&select=${encodeURIComponent('Born Seen')}`),
  ).toMatchObject([{ Born: '2024-04-25', Seen: '2024-04-25T04:00:00.000Z' }])
  expect(await rowsOf({ $group: { _id: '$Born' } })).toEqual([
    { _id: '2023-12-31' },
    { _id: '2024-04-25' },
    { _id: '2024-04-26' },
    { _id: null },
  ])
  expect(await rowsOf({ $group: { _id: null, first: { $min: '$Born' }, last: { $max: '$Born' } } })).toEqual([
    { first: '2023-12-31', last: '2024-04-26' },
  ])
  expect(
    await rowsOf({ $group: { _id: { Year: { $year: '$Born' } }, days: { $size: { $addToSet: '$Born' } } } }),
  ).toEqual([
    { Year: 2023, days: 1 },
    { Year: 2024, days: 2 },
    { Year: null, days: 0 },
  ])
  const computed = { Month: { $month: '$Born' }, Text: { $toString: '$Born' }, Again: '$Born' }
  expect(await rowsOf({ $match: { Name: 'Bob' } }, { $project: { _id: 0, ...computed } })).toEqual([
    { Month: 4, Text: '2024-04-26', Again: '2024-04-26' },
  ])
})

test('pages sorted by day continue without gaps', async () => {
  const sort = json({ Born: -1 })
  const all = await ask<{ _id: string; Name: string }>(`sort=${sort}`)
  expect(all.map(({ Name }) => Name)).toEqual(['Bob', 'Ada', 'Cleo', 'Dan'])
  const next = await ask<{ Name: string }>(`sort=${sort}&after=${all[0]?._id}`)
  expect(next.map(({ Name }) => Name)).toEqual(['Ada', 'Cleo', 'Dan'])
})

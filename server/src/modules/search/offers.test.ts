import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
type Contact = Record<string, unknown>

test.each([
  ['2026-02-08 05:00:00+00', '2026-02-08T05:00:00.000Z'],
  ['2026-02-08 05:00:00.5+00', '2026-02-08T05:00:00.500Z'],
  ['2026-02-08 05:00:00.123456+00', '2026-02-08T05:00:00.123Z'],
  ['0033-04-03 12:00:00+00', '0033-04-03T12:00:00.000Z'],
  ['12026-02-08 05:00:00+00', '+012026-02-08T05:00:00.000Z'],
  ['0044-03-15 11:00:00+00 BC', '-000043-03-15T11:00:00.000Z'],
  ['infinity', undefined],
])('a date that PostgreSQL formats as %s is returned as %s', async (Since, expected) => {
  const member = await portal.member(await portal.account())
  await addContacts(portal.parts.database, member.account, { Since: 'date', Name: 'string' }, [{ Since, Name: 'Ann' }])
  const body = (await member.get(offers)).json<Contact[]>()
  expect(body).toMatchObject([{ Name: 'Ann' }])
  expect(body[0]?.['Since']).toBe(expected)
})

test('contacts with more fields than PostgreSQL returns at once are complete, on a page and alone', async () => {
  const member = await portal.member(await portal.account())
  const types = Object.fromEntries(
    Array.from({ length: 1700 }, (_field, at) => [`Column ${at + 1}`, 'number' as const]),
  )
  const [full = ''] = await addContacts(portal.parts.database, member.account, types, [
    Object.fromEntries(Object.keys(types).map((name, at) => [name, at])),
    { 'Column 1700': -1 },
  ])
  const page = (await member.get(offers)).json<Contact[]>()
  expect(page).toHaveLength(2)
  expect(page[0]).toMatchObject({ _id: full, 'Column 1': 0, 'Column 1501': 1500, 'Column 1700': 1699 })
  expect(Object.keys(page[0] ?? {})).toHaveLength(1702)
  expect(page[1]).toEqual({ _id: expect.any(String), Import: '1', 'Column 1700': -1 })
  expect((await member.get(`${offers}/${full}`)).body).toEqual({ ...page[0], events: [] })
})

import type { Offer } from '@portico/contract/contacts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { updateFullTextIndex } from '#search'
import { addContacts } from '#test/resources/contacts.ts'
import { buildIndex } from '#test/resources/indexes.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let small: Member
let large: Member

const types = { Name: 'string', Email: 'string', Age: 'number' } as const

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  small = await portal.member(await portal.account())
  await addContacts(portal.parts.database, small.account, types, [
    { Name: 'Anna Berg', Email: 'anna.berg@example.com', Age: 30 },
    { Name: 'Bob Lind', Email: 'bob@example.com' },
    { Name: 'Hannah Annan', Email: 'h@example.com' },
    { Name: 'Joanna Berg', Email: 'jo@example.com' },
  ])
  large = await portal.member(await portal.account())
  await addContacts(portal.parts.database, large.account, types, [{ Name: 'Needle Nook', Email: 'Nell@Example.com' }])
  await query(
    `INSERT INTO :account.contacts (id, import_id, c1, c2)
     SELECT i, 1, 'Hay ' || i, 'hay' || i || '@example.com' FROM generate_series(1, 50000) i`,
  )
})
afterAll(() => portal.close())

const query = (text: string) =>
  portal.parts.database.pool.query(text.replaceAll(':account', `account_${large.account}`))

async function suggested(member: Member, text: string, more = ''): Promise<unknown[]> {
  const answer = await member.get(
    `/contact-service/v1/offers/suggestions?text=${encodeURIComponent(text)}${more && `&${more}`}`,
  )
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<Offer[]>().map((offer) => offer['Name'])
}

test.each([
  ['ann', ['Anna Berg', 'Hannah Annan']],
  ['BERG', ['Anna Berg', 'Joanna Berg']],
  ['berg jo', ['Joanna Berg']],
  ['anna.berg@exa', ['Anna Berg']],
  ['an', ['Anna Berg', 'Hannah Annan']],
  ['30', []],
  ['nobody', []],
  [' *&| ', []],
])('suggests the contacts of a small account that have words beginning with %j', async (text, names) => {
  expect(await suggested(small, text)).toEqual(names)
})

test('suggests complete contacts, a few at a time', async () => {
  expect(await suggested(small, 'example', 'limit=2')).toEqual(['Anna Berg', 'Bob Lind'])
  const [offer] = (await small.get('/contact-service/v1/offers/suggestions?text=anna')).json<Offer[]>()
  expect(offer).toEqual({
    _id: expect.any(String),
    Name: 'Anna Berg',
    Email: 'anna.berg@example.com',
    Age: 30,
    Import: '1',
  })
  for (const refused of ['', 'text=', 'text=a&limit=21', `text=${'a'.repeat(201)}`]) {
    expect((await small.get(`/contact-service/v1/offers/suggestions?${refused}`)).status).toBe(400)
  }
})

test('requires the right to search, and is limited to the own account', async () => {
  const importer = await portal.member(small.account, 'contact-service::imports::get')
  expect((await importer.get('/contact-service/v1/offers/suggestions?text=anna')).status).toBe(403)
  expect(await suggested(await portal.member(await portal.account()), 'anna')).toEqual([])
})

test('reads no texts of a large account: without an index it suggests nothing, and does not request one', async () => {
  expect(await suggested(large, 'needle')).toEqual([])
  expect((await query('SELECT FROM :account.contact_word_index')).rowCount).toBe(0)
})

test('suggests by the beginning of indexed fields if the words are not indexed', async () => {
  await buildIndex(large, [['Email', 1]])
  expect(await suggested(large, 'Nell@')).toEqual(['Needle Nook'])
  expect(await suggested(large, 'HAY49999@')).toEqual(['Hay 49999'])
  expect(await suggested(large, 'hay', 'limit=3')).toHaveLength(3)
  expect(await suggested(large, 'example.com')).toEqual([])
  // The name has no index, and a pattern is text like any other.
  expect(await suggested(large, 'Needle')).toEqual([])
  expect(await suggested(large, '.*')).toEqual([])
})

test('suggests by an up-to-date index of words, and by words of three letters or more', async () => {
  await updateFullTextIndex(portal.parts.database.db, large.account)
  expect(await suggested(large, 'needle')).toEqual(['Needle Nook'])
  expect(await suggested(large, 'needle zz')).toEqual(['Needle Nook'])
  expect(await suggested(large, 'ne')).toEqual([])
  await query(`UPDATE :account.contact_words SET words = words || 'planted'::tsvector WHERE id < 4`)
  expect(await suggested(large, 'planted')).toEqual(['Hay 1', 'Hay 2', 'Hay 3'])
})

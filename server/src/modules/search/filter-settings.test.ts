import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountName, logOf } from '#test/kit/administration.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/configuration/filters'
const [on, off] = [{ onlyIndexedFields: true }, { onlyIndexedFields: false }]

let portal: TestPortal
let powerUser: Member

beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account())
})
afterAll(() => portal.close())

test('any field can be filtered by until an administrator requires indexes', async () => {
  expect(await powerUser.get(path)).toMatchObject({ status: 200, body: off })
  expect(await powerUser.put(path, on)).toMatchObject({ status: 200, body: on })
  expect((await powerUser.get(path)).body).toEqual({ ...on, version: 2 })
  expect((await powerUser.put(path, off)).body).toEqual({ ...off, version: 3 })
  const log = await logOf(portal, await accountName(portal, powerUser.account))
  expect(log.slice(-2)).toMatchObject([
    { actor: powerUser.email, action: 'filter settings changed', details: { old: off, new: on } },
    { action: 'filter settings changed', details: { old: on, new: off } },
  ])
})

test('readers of contacts can read the setting, and administrators can set it, each in their own account', async () => {
  await powerUser.put(path, on)
  const reader = await portal.member(powerUser.account, 'contact-service::offers::get')
  const other = await portal.member(powerUser.account, 'contact-service::imports::get')
  const stranger = await portal.member(await portal.account())
  expect(await reader.get(path)).toMatchObject({ status: 200, body: on })
  expect(await reader.put(path, off)).toMatchObject({ status: 403 })
  expect(await other.get(path)).toMatchObject({ status: 403 })
  expect((await stranger.get(path)).body).toEqual({ ...off, version: 1 })
})

test('a program gets the same response, regardless of the setting', async () => {
  await powerUser.put(path, on)
  await addContacts(portal.parts.database, powerUser.account, { City: 'string' }, [{ City: 'Bern' }])
  const find = encodeURIComponent(JSON.stringify([{ $match: { City: 'Bern' } }]))
  expect((await powerUser.get(`/contact-service/v1/offers?find=${find}&count=`)).body).toEqual({ count: 1 })
})

test.each([
  [{}, 'onlyIndexedFields'],
  [{ onlyIndexedFields: 'no' }, 'onlyIndexedFields'],
  [{ ...on, colour: 'red' }, 'colour'],
])('%j is refused', async (wrong, field) => {
  expect(fieldProblems(await powerUser.put(path, wrong))).toContainEqual(expect.objectContaining({ field }))
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/accounts'
const empty = { purlColumns: [], dedupColumns: [], notificationEmails: [] }

let portal: TestPortal
let powerUser: Member
beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const own = (member: Member): string => `${path}/${member.account}`

test('the contact configuration of an account can be read, set and changed, as at its other path', async () => {
  const identity = { _id: String(powerUser.account), accountId: powerUser.account }
  expect(await powerUser.get(own(powerUser))).toMatchObject({
    status: 200,
    body: { ...identity, ...empty, version: 1 },
  })
  const byEmail = { ...empty, dedupColumns: ['Email'] }
  expect(await powerUser.post(path, { accountId: powerUser.account, ...byEmail })).toMatchObject({
    status: 201,
    body: { ...identity, ...byEmail, version: 2 },
  })
  const byPhone = { ...empty, dedupColumns: ['Phone'] }
  expect(await powerUser.put(own(powerUser), { ...byPhone, version: 2 })).toMatchObject({ status: 200, body: byPhone })
  expect((await powerUser.get('/contact-service/v1/configuration')).body).toEqual({ ...byPhone, version: 3 })
  expect(await powerUser.put(own(powerUser), { ...byEmail, version: 2 })).toMatchObject({ status: 409 })
})

test('other accounts get 404, and only administrators change the configuration of their own', async () => {
  const stranger = await portal.member(await portal.account())
  expect(await stranger.get(own(powerUser))).toMatchObject({ status: 404 })
  expect(await stranger.put(own(powerUser), empty)).toMatchObject({ status: 404 })
  expect(await stranger.post(path, { accountId: powerUser.account, ...empty })).toMatchObject({ status: 404 })
  const reader = await portal.member(powerUser.account, 'contact-service::imports::get')
  expect(await reader.get(own(powerUser))).toMatchObject({ status: 200 })
  expect(await reader.put(own(powerUser), empty)).toMatchObject({ status: 403 })
  expect(await reader.post(path, empty)).toMatchObject({ status: 403 })
})

test('an invalid value is reported with its field', async () => {
  const problem = { field: 'dedupColumns.1', message: 'Value is duplicate!' }
  expect(fieldProblems(await powerUser.post(path, { ...empty, dedupColumns: ['a', 'A'] }))).toContainEqual(problem)
})

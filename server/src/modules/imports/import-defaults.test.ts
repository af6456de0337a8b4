import { afterAll, beforeAll, expect, test } from 'vitest'
import { logOf } from '#test/kit/administration.ts'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/configuration'
const empty = { purlColumns: [], dedupColumns: [], notificationEmails: [] }

let portal: TestPortal
let powerUser: Member

beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account())
})
afterAll(() => portal.close())

test('the defaults of the first import are empty until they are set', async () => {
  expect(await powerUser.get(path)).toMatchObject({ status: 200, body: empty })
  const defaults = {
    purlColumns: ['First Name', 'Last Name'],
    dedupColumns: ['Email'],
    notificationEmails: ['ada@example.com'],
  }
  expect(await powerUser.put(path, defaults)).toMatchObject({ status: 200, body: defaults })
  expect((await powerUser.get(path)).body).toEqual({ ...defaults, version: 2 })
  expect((await powerUser.put(path, { ...defaults, dedupColumns: [' Phone '] })).body).toEqual({
    ...defaults,
    dedupColumns: ['Phone'],
    version: 3,
  })
  const log = await logOf(portal, String(powerUser.account))
  expect(log).toMatchObject([
    { action: 'import defaults changed', details: { old: empty, new: defaults } },
    { actor: powerUser.email, details: { new: { dedupColumns: ['Phone'] } } },
  ])
})

test('members who may list imports read the defaults, administrators set them, each in their own account', async () => {
  const reader = await portal.member(powerUser.account, 'contact-service::imports::get')
  const other = await portal.member(powerUser.account, 'contact-service::offers::get')
  const stranger = await portal.member(await portal.account())
  expect(await reader.get(path)).toMatchObject({ status: 200, body: { dedupColumns: ['Phone'] } })
  expect(await reader.put(path, empty)).toMatchObject({ status: 403 })
  expect(await other.get(path)).toMatchObject({ status: 403 })
  expect((await stranger.get(path)).body).toEqual({ ...empty, version: 1 })
  expect(await (await portal.powerAdmin()).put(path, empty)).toMatchObject({ status: 200 })
})

test.each([
  [{ purlColumns: [''] }, 'purlColumns.0', 'Value is required!'],
  [{ purlColumns: ['a', 'b', 'c', 'd'] }, 'purlColumns', 'Value is not allowed!'],
  [{ dedupColumns: ['Email', 'email'] }, 'dedupColumns.1', 'Value is duplicate!'],
  [{ dedupColumns: ['_id'] }, 'dedupColumns.0', 'Value is not allowed!'],
  [{ dedupColumns: ['PURL'] }, 'dedupColumns.0', 'Value is not allowed!'],
  [{ notificationEmails: ['ada'] }, 'notificationEmails.0', 'Value is invalid!'],
  [{ notificationEmails: [''] }, 'notificationEmails.0', 'Value is required!'],
  [{ notificationEmails: ['a@x.com', 'A@x.com'] }, 'notificationEmails.1', 'Value is duplicate!'],
  [{ colour: 'red' }, 'colour', 'This field is not known.'],
])('%j is refused', async (wrong, field, message) => {
  expect(fieldProblems(await powerUser.put(path, { ...empty, ...wrong }))).toContainEqual({ field, message })
})

import type { Dashboard, DashboardVersion } from '@portico/contract/dashboards'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { logOf } from '#test/kit/administration.ts'
import {
  addIdentity,
  createDashboard,
  dashboardsPath as path,
  definition,
  draftOf,
  inAccounts,
  onlyFor,
  pie,
  refused,
  removeIdentity,
  saveDashboard,
} from '#test/resources/dashboards.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let author: Member

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  author = await portal.member(await portal.account())
})

const versionsOf = async (id: string) =>
  (await author.get(`${path}/${id}/versions`)).json<DashboardVersion[]>().map(({ version, changes }) => ({
    version,
    changes,
  }))

describe('each save', () => {
  test('creates a version that describes the changes', async () => {
    const { _id } = await createDashboard(author)
    const cells = [{ id: 'a', cols: 12, chart: pie('Contacts by city') }]
    const text = definition([...cells, { id: 'b', cols: 12 }])
    await saveDashboard(author, _id, { definition: text })
    await saveDashboard(author, _id, { name: 'Cities', definition: text, sharedWith: inAccounts(author.account) })
    expect(await versionsOf(_id)).toEqual([
      { version: 3, changes: 'Renamed to "Cities". Shared with everyone in 1 account.' },
      { version: 2, changes: 'Added Contacts by city and an empty cell. Removed an empty cell.' },
      { version: 1, changes: 'Created.' },
    ])
    expect((await author.get(`${path}/${_id}/versions/2`)).body).toEqual({
      version: 2,
      savedBy: author.email,
      savedAt: expect.stringMatching(/Z$/) as string,
      changes: 'Added Contacts by city and an empty cell. Removed an empty cell.',
      name: 'Overview',
      definition: expect.stringContaining('"title":"Contacts by city"') as string,
    })
    for (const version of ['4', '2147483647']) {
      expect(await author.get(`${path}/${_id}/versions/${version}`)).toMatchObject(refused(404, 'not_found'))
    }
    for (const version of ['0', 'x', '99999999999']) {
      expect(await author.get(`${path}/${_id}/versions/${version}`)).toMatchObject(refused(400, 'invalid_input'))
    }
  })

  test('keeps the last 50 versions', async () => {
    const { _id } = await createDashboard(author)
    for (let version = 2; version <= 52; version++) await saveDashboard(author, _id, { name: `Name ${version}` })
    const versions = await versionsOf(_id)
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 50 }, (_, index) => 52 - index))
    expect(await author.post(`${path}/${_id}/versions/2/restore`)).toMatchObject(refused(404, 'not_found'))
    expect(await author.post(`${path}/${_id}/versions/3/restore`)).toMatchObject({ status: 200 })
  })

  test('over a newer version is refused with the changes since', async () => {
    const { _id } = await createDashboard(author)
    expect(await saveDashboard(author, _id, { name: 'Two', version: 1 })).toMatchObject({ body: { version: 2 } })
    await saveDashboard(author, _id, { name: 'Three', version: 2 })
    const newest = { version: 3, savedBy: author.email, savedAt: expect.any(String) as string }
    const stale = await saveDashboard(author, _id, { name: 'Mine', version: 1 })
    expect(stale).toMatchObject(
      refused(409, 'newer_version', {
        message: 'Someone has saved this dashboard in the meantime.',
        details: {
          ...newest,
          changes: [
            { ...newest, changes: 'Renamed to "Three".' },
            { version: 2, changes: 'Renamed to "Two".' },
          ],
        },
      }),
    )
    expect((await author.get(`${path}/${_id}`)).body).toMatchObject({ name: 'Three', version: 3 })
    // It is saved when sent without a version, or with the newest one.
    expect(await saveDashboard(author, _id, { name: 'Mine' })).toMatchObject({ status: 200, body: { version: 4 } })
    expect(await saveDashboard(author, _id, { name: 'Mine', version: 4 })).toMatchObject({ status: 200 })
    expect(await saveDashboard(author, _id, { version: 99 })).toMatchObject(refused(409, 'newer_version'))
  })

  test('at the same time as another is refused', async () => {
    const { _id } = await createDashboard(author)
    const saves = ['One', 'Other'].map((name) => saveDashboard(author, _id, { name, version: 1 }))
    const statuses = (await Promise.all(saves)).map(({ status }) => status)
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 409])
  })
})

test('the order of a sharing and the case of emails are not changes', async () => {
  const other = await portal.account()
  await addIdentity(portal, author, other)
  const aids = [other, author.account]
  const users = ['a@example.com', 'b@example.com']
  const { _id } = await createDashboard(author, { sharedWith: { paids: 'all', aids, users } })
  const same = { paids: 'all', aids: aids.toReversed(), users: ['B@example.com', 'a@EXAMPLE.com'] }
  expect(await saveDashboard(author, _id, { sharedWith: same })).toMatchObject({
    body: { sharedWith: { paids: 'all', aids: aids.toSorted((one, other) => one - other), users } },
  })
  expect((await versionsOf(_id))[0]).toEqual({ version: 2, changes: 'No changes.' })
})

describe('a version can be restored', () => {
  test('as the newest one with its name, tags and cells, keeping the current sharing', async () => {
    const made = await createDashboard(author, { definition: definition([{ cols: 12, chart: pie('First') }]) })
    const sharedWith = inAccounts(author.account)
    await saveDashboard(author, made._id, { name: 'Other', tags: ['goal'], sharedWith })
    const restored = await author.post(`${path}/${made._id}/versions/1/restore`)
    const { name, tags, definition: text } = made
    expect(restored).toMatchObject({ status: 200, body: { name, tags, definition: text, version: 3, sharedWith } })
    expect((await versionsOf(made._id))[0]).toEqual({ version: 3, changes: 'Restored version 1.' })
    expect((await author.get(`${path}/${made._id}`)).body).toEqual(restored.body)
  })
})

test('a version is not restored over a newer one than the client has seen', async () => {
  const { _id } = await createDashboard(author)
  await saveDashboard(author, _id, { name: 'Saved since' })
  const restore = (version: number) => author.post(`${path}/${_id}/versions/1/restore`, { version })
  const current = { version: 2, savedBy: author.email }
  expect(await restore(1)).toMatchObject(refused(409, 'newer_version', { details: expect.objectContaining(current) }))
  expect((await author.get(`${path}/${_id}`)).body).toMatchObject({ name: 'Saved since', version: 2 })
  expect(await restore(2)).toMatchObject({ status: 200, body: { version: 3 } })
  expect(await restore(0)).toMatchObject(refused(400, 'invalid_input'))
})

test('changes of dashboards are in the audit log', async () => {
  const name = `Watched ${crypto.randomUUID()}`
  const made = await createDashboard(author, { name })
  await createDashboard(author)
  const id = made._id
  const sharedWith = inAccounts(author.account)
  await saveDashboard(author, id, { name, sharedWith })
  await author.post(`${path}/${id}/versions/1/restore`)
  const heir = await portal.member(author.account)
  await removeIdentity(portal, author)
  await heir.post(`${path}/${id}/author`)
  await heir.post(path, draftOf(heir))
  expect(await heir.delete(`${path}/${id}`)).toMatchObject({ status: 204 })
  const by = { actor: author.email, subject: name }
  expect(await logOf(portal, name)).toEqual([
    { ...by, action: 'dashboard created', details: { id, tags: ['event'], sharedWith: onlyFor(author) } },
    {
      ...by,
      action: 'dashboard changed',
      details: { id, version: 2, changes: expect.stringContaining('Shared with everyone in 1 account.') as string },
    },
    { ...by, action: 'dashboard shared', details: { id, sharedWith: { old: onlyFor(author), new: sharedWith } } },
    { ...by, action: 'dashboard restored', details: { id, version: 3, changes: 'Restored version 1.' } },
    { ...by, actor: heir.email, action: 'dashboard taken over', details: { id, from: author.email } },
    { ...by, actor: heir.email, action: 'dashboard deleted', details: { id, sharedWith } },
  ])
})

test('a refused save leaves nothing behind', async () => {
  const name = `Unchanged ${crypto.randomUUID()}`
  const { _id } = await createDashboard(author, { name })
  const refusals = [{ sharedWith: inAccounts(2_000_000_000) }, { version: 7 }, { definition: '[]' }]
  for (const changes of refusals) expect((await saveDashboard(author, _id, { name, ...changes })).status).not.toBe(200)
  expect((await author.get(`${path}/${_id}`)).json<Dashboard>().version).toBe(1)
  expect(await versionsOf(_id)).toHaveLength(1)
  expect((await logOf(portal, name)).map(({ action }) => action)).toEqual(['dashboard created'])
})

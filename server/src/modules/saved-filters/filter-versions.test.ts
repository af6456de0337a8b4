import type { FieldEntry } from '@portico/contract/fields'
import { type FilterVersionEntry, type SavedFilter, versionsKept } from '@portico/contract/saved-filters'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/rdls'
const inParis = JSON.stringify([{ $match: { City: 'Paris' } }])
const inRome = JSON.stringify([{ $match: { City: 'Rome' } }])

let portal: TestPortal
let ann: Member
let ben: Member
let saved: SavedFilter

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  const account = await portal.account()
  await addContacts(portal.parts.database, account, { City: 'string' }, [{ City: 'Paris' }])
  ann = await portal.member(account)
  ben = await portal.member(account)
  saved = (await ann.post(path, { name: 'Parisians', aggregateQuery: inParis })).json<SavedFilter>()
})

const change = (by: Client, name: string, aggregateQuery: string, version?: number) =>
  by.put(`${path}/${saved._id}`, { name, aggregateQuery, ...(version !== undefined && { version }) })
const versions = async (by: Client = ann) =>
  (await by.get(`${path}/${saved._id}/versions`)).json<FilterVersionEntry[]>()
const pool = () => portal.parts.database.pool

test('each save keeps the version before: who saved it, when, and its stages', async () => {
  expect(await change(ben, 'Romans', inRome, 1)).toMatchObject({ status: 200 })
  const savedAt = expect.any(String) as string
  const first = { version: 1, name: 'Parisians', aggregateQuery: inParis, savedBy: ann.email, savedAt }
  const second = { version: 2, name: 'Romans', aggregateQuery: inRome, savedBy: ben.email, savedAt }
  expect(await versions()).toEqual([second, first].map((each) => ({ ...each, showInSubaccounts: false })))
  expect((await ann.get(`${path}/${saved._id}/versions/1`)).body).toMatchObject(first)
  for (const unknown of [0, 3, 'x']) {
    expect((await ann.get(`${path}/${saved._id}/versions/${unknown}`)).status).toBeGreaterThanOrEqual(400)
  }
})

test('restoring saves the earlier values as a new version, unless another save came first', async () => {
  await change(ben, 'Romans', inRome, 1)
  expect(await change(ann, 'Parisians', inParis, 1)).toMatchObject({
    status: 409,
    body: { error: { code: 'newer_version', details: { savedBy: ben.email } } },
  })
  expect(await change(ann, 'Parisians', inParis, 2)).toMatchObject({ status: 200, body: { version: 3 } })
  expect((await versions()).map(({ version, name }) => [version, name])).toEqual([
    [3, 'Parisians'],
    [2, 'Romans'],
    [1, 'Parisians'],
  ])
})

test('the last versions are kept, those of long filters without their stages in the list, and go with the filter', async () => {
  const long = JSON.stringify([{ $match: { City: 'x'.repeat(5000) } }])
  for (let at = 1; at <= versionsKept; at++) await change(ann, `Name ${at}`, long)
  const all = await versions()
  expect(all.map(({ version }) => version)).toEqual(
    Array.from({ length: versionsKept }, (_, at) => versionsKept + 1 - at),
  )
  expect(all[0]).toMatchObject({ aggregateQuery: null })
  expect((await ann.get(`${path}/${saved._id}/versions/2`)).body).toMatchObject({ aggregateQuery: long })
  await ann.delete(`${path}/${saved._id}`)
  expect(await ann.get(`${path}/${saved._id}/versions`)).toMatchObject({ status: 404 })
  expect((await pool().query(`SELECT FROM account_${ann.account}.saved_filter_versions`)).rows).toEqual([])
})

test('a filter of an earlier release keeps its present version with the next save', async () => {
  await pool().query(`DELETE FROM account_${ann.account}.saved_filter_versions`)
  expect(await versions()).toEqual([])
  await change(ben, 'Romans', inRome)
  expect(await versions()).toMatchObject([
    { version: 2, savedBy: ben.email },
    { version: 1, name: 'Parisians', savedBy: ann.email },
  ])
})

test('a renamed field is renamed in all versions', async () => {
  await change(ann, 'Romans', inRome)
  const [city] = (await ann.get('/contact-service/v1/fields/details')).json<FieldEntry[]>()
  const renamed = await ann.put(`/contact-service/v1/fields/${city?._id}`, { name: 'Town' })
  expect(renamed).toMatchObject({ status: 200 })
  expect((await versions()).map(({ version, aggregateQuery }) => [version, aggregateQuery])).toEqual([
    [3, inRome.replace('City', 'Town')],
    [2, inRome.replace('City', 'Town')],
    [1, inParis.replace('City', 'Town')],
  ])
})

test('versions require the right to read filters, in the account that owns the filter', async () => {
  const sub = await portal.member(await portal.account(undefined, ann.account))
  await ann.put(`${path}/${saved._id}`, { name: 'Parisians', aggregateQuery: inParis, showInSubaccounts: true })
  expect(await sub.get(`${path}/${saved._id}/versions`)).toMatchObject({
    status: 403,
    body: { error: { code: 'parent_filter' } },
  })
  const stranger = await portal.member(await portal.account())
  expect(await stranger.get(`${path}/${saved._id}/versions/1`)).toMatchObject({ status: 404 })
  const searcher = await portal.member(ann.account, 'contact-service::offers::get')
  expect(await searcher.get(`${path}/${saved._id}/versions`)).toMatchObject({ status: 403 })
})

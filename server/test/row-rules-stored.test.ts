import type { Dashboard } from '@portico/contract/dashboards'
import type { Export } from '@portico/contract/exports'
import type { RemoteAccess } from '@portico/contract/remote-access'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runExport } from '#exports'
import { identityOf, memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons } from '#test/resources/crons.ts'
import {
  addIdentity,
  createDashboard,
  dashboardsPath,
  definition,
  inAccounts,
  pie,
  refused,
} from '#test/resources/dashboards.ts'
import { attemptNow, exportWith } from '#test/resources/deliveries.ts'
import { createExport, downloadExport, exportDraft, exportsPath, readExport } from '#test/resources/exports.ts'
import { anImport, ended, upload } from '#test/resources/imports.ts'
import { logOf } from '#test/kit/administration.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, addAccess, newAccess, noLimits, readOffer, stranger } from '#test/resources/remote-accesses.ts'
import { addSight, restrictedMember, setRowRule } from '#test/resources/row-rules.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

// Stored items act by the current row rule of the identity that stored them (ADR 0086, 0087).

let portal: TestPortal
let server: WebhookServer
let owner: Member
/** Has no rule, until a test sets one. */
let author: Member

const bern = [{ $match: { City: 'Bern' } }]
const lyon = [{ $match: { City: 'Lyon' } }]
const everything = ['*::*::*']

beforeAll(async () => {
  server = await startWebhookServer()
  portal = await startPortal({ remoteAccessLimits: noLimits, outboundAllow: ['127.0.0.1'] })
})
afterAll(async () => {
  await portal.close()
  await server.close()
})
beforeEach(async () => {
  const account = await portal.account(undefined, await portal.account())
  const rows = [
    { Name: 'Ada', City: 'Bern' },
    { Name: 'Bob', City: 'Bern' },
    { Name: 'Cleo', City: 'Lyon' },
  ]
  await addContacts(portal.parts.database, account, { Name: 'string', City: 'string' }, rows)
  owner = await portal.member(account)
  author = await memberWith(portal, account, { actions: everything })
})

const setRule = async (member: Member, rule: object[] | null): Promise<void> =>
  setRowRule(portal, await identityOf(portal, member), rule as typeof bern | null)

/** Adds a second identity by which the person can enter the account, and which sees all contacts. */
async function addUnrestricted(member: Member): Promise<void> {
  const { pool } = portal.parts.database
  const parents = 'SELECT parent_id AS id FROM portico.accounts WHERE id = $1'
  const { rows } = await pool.query<{ id: number }>(parents, [member.account])
  await addIdentity(portal, member, rows[0]?.id ?? 0, { withSubAccounts: true })
}

const write = (id: string) => runExport(portal.parts, owner.account, id, new AbortController().signal)
const changed = expect.stringContaining('may no longer see all of its contacts')

describe('an export', () => {
  test('of a person with several identities contains what its own identity sees', async () => {
    await setRule(author, bern)
    await addUnrestricted(author)
    expect((await author.get('/contact-service/v1/offers?count=')).body).toEqual({ count: 3 })
    const { _id } = await createExport(author, exportDraft(['Name']))
    await write(_id)
    expect((await downloadExport(portal, author, `${_id}.csv`)).text).toBe('Name\nAda\nBob\n')
  })

  test.each([
    ['gets a rule', null, bern],
    ['gets another one', lyon, bern],
  ])('is not written once its identity %s', async (_what, before, after) => {
    await setRule(author, before)
    const { _id } = await createExport(author, exportDraft(['Name']))
    await setRule(author, after)
    await write(_id)
    expect(await readExport(owner, _id)).toMatchObject({ status: 'rejected', recoveryError: changed })
  })

  test('shows its filter as it was requested, as the rule may be that of an identity of the parent account', async () => {
    const viewer = await memberWith(portal, owner.account, { actions: ['nothing::at::all'] })
    await addSight(portal, viewer, bern, ['contact-service::*::*'])
    const lyonOnly = JSON.stringify([{ $match: { City: 'Lyon' } }])
    for (const aggregateQuery of [undefined, lyonOnly]) {
      const { _id } = await createExport(viewer, exportDraft(['Name'], { aggregateQuery }))
      const shown = { _id, isRestricted: true, aggregateQuery: aggregateQuery ?? null }
      const listed = (await owner.get(exportsPath)).json<Export[]>()
      expect(listed.find((each) => each._id === _id)).toMatchObject(shown)
      const [entry] = await logOf(portal, (await readExport(owner, _id)).name)
      expect(entry?.details).toMatchObject({ isRestricted: true, filter: aggregateQuery ?? null })
      await write(_id)
      const found = aggregateQuery ? 'Name\n' : 'Name\nAda\nBob\n'
      expect((await downloadExport(portal, viewer, `${_id}.csv`)).text).toBe(found)
    }
  })

  test('can be opened only by people who can see all of its contacts', async () => {
    const all = await createExport(owner, exportDraft(['Name']))
    const chosen = await createExport(owner, exportDraft(['Name'], { aggregateQuery: JSON.stringify(bern) }))
    const excluded = [{ $match: { $or: [{ City: 'Bern' }, { City: 'Lyon' }] } }, ...bern.toReversed(), { $skip: 0 }]
    const narrow = await createExport(owner, exportDraft(['Name'], { aggregateQuery: JSON.stringify(excluded) }))
    for (const { _id } of [all, chosen, narrow]) await write(_id)
    const restricted = await restrictedMember(portal, owner.account, bern)
    const open = (id: string) => restricted.get(`/contact-service/v1/downloads/${id}.csv`)
    expect(await open(all._id)).toMatchObject(refused(403, 'not_allowed'))
    expect((await downloadExport(portal, restricted, `${chosen._id}.csv`)).text).toBe('Name\nAda\nBob\n')
    expect((await downloadExport(portal, restricted, `${narrow._id}.csv`)).text).toBe('Name\nAda\nBob\n')
    await setRule(restricted, lyon)
    expect(await open(chosen._id)).toMatchObject(refused(403, 'not_allowed'))
  })

  test('can no longer be opened by a link from before the rule', async () => {
    const { _id } = await createExport(author, exportDraft(['Name']))
    await write(_id)
    const { url } = (await author.get(`/contact-service/v1/downloads/${_id}.csv`)).json<{ url: string }>()
    expect((await portal.app.inject({ url })).statusCode).toBe(200)
    await setRule(author, bern)
    expect((await portal.app.inject({ url })).statusCode).toBe(403)
    expect(await author.get(`/contact-service/v1/downloads/${_id}.csv`)).toMatchObject(refused(403, 'not_allowed'))
    await setRule(author, null)
    expect((await portal.app.inject({ url })).statusCode).toBe(200)
  })

  test('is delivered, or resent by others, only while its identity sees all of its contacts', async () => {
    const hook = {
      type: 'http',
      method: 'post',
      endpoint: `${server.url}/hook`,
      headers: {},
      body: { file: '{{url}}' },
    }
    const made: Export = await exportWith(portal, author, hook as never)
    await setRule(author, bern)
    const sent = await attemptNow(portal, owner, made._id)
    expect(sent).toMatchObject({ status: 'rejected', result: changed })
    const again = `${exportsPath}/${made._id}/deliveries/${sent._id}/resend`
    expect(await owner.post(again)).toMatchObject({ status: 200 })
    expect(await attemptNow(portal, owner, made._id)).toMatchObject({ status: 'rejected' })
    expect(server.received).toHaveLength(0)
    await setRule(author, null)
    expect(await owner.post(again)).toMatchObject({ status: 200 })
    expect(await attemptNow(portal, owner, made._id)).toMatchObject({ status: 'completed' })
    const { url } = { url: JSON.stringify(server.received[0]) }
    const link = /\/api\/files\/[^"\\]+/.exec(url)?.[0] ?? ''
    expect((await portal.app.inject({ url: link })).statusCode).toBe(200)
    await setRule(author, bern)
    expect((await portal.app.inject({ url: link })).statusCode).toBe(403)
  })
})

test('each run of a cron contains what its identity sees at that time, even if another person starts it', async () => {
  const instruction = { name: 'Of a cron', delimiter: 'csv', byteOrderMark: false, exportFields: ['Name'] }
  const cron = await addCron(author, { instruction })
  await setRule(author, bern)
  expect(await owner.post(`${crons}/${cron._id}/run`)).toMatchObject({ status: 202 })
  await runSchedulerOnce(portal.parts)
  const [made] = (await owner.get(exportsPath)).json<Export[]>()
  await write(made?._id ?? '')
  expect((await downloadExport(portal, owner, `${made?._id}.csv`)).text).toBe('Name\nAda\nBob\n')
})

describe('a dashboard', () => {
  const cities = { ...pie('Cities'), filter: { standard: [{ $group: { _id: '$City', n: { $count: {} } } }] } }
  const save = (by: Member): Promise<Dashboard> => {
    const layout = definition([{ id: 'c0', cols: 12, chart: cities }])
    return createDashboard(by, { definition: layout, sharedWith: inAccounts(by.account) })
  }
  const ask = async (by: Client, { _id }: Dashboard): Promise<object[]> => {
    const answer = await by.post(`${dashboardsPath}/${_id}/cells/c0`, { version: 1 })
    return answer.json<{ rows: object[] }>().rows
  }
  const all = expect.arrayContaining([
    { _id: 'Bern', n: 2 },
    { _id: 'Lyon', n: 1 },
  ])

  test('shows others what the identity that saved it sees, as soon as it has a rule, even from the cache', async () => {
    const dashboard = await save(author)
    const viewer = await portal.member(owner.account, 'bi::dashboards::get')
    for (const _ of [1, 2]) expect(await ask(viewer, dashboard)).toEqual(all)
    for (const [rule, seen] of [
      [bern, [{ _id: 'Bern', n: 2 }]],
      [lyon, [{ _id: 'Lyon', n: 1 }]],
      [null, all],
    ] as const) {
      await setRule(author, rule as typeof bern | null)
      for (const _ of [1, 2]) expect(await ask(viewer, dashboard)).toEqual(seen)
    }
  })

  test('gives each viewer the numbers of their own rule, even with concurrent requests and after a change', async () => {
    const dashboard = await save(owner)
    const [one, other] = [
      await restrictedMember(portal, owner.account, bern),
      await restrictedMember(portal, owner.account, lyon),
    ]
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all([owner, one, other, owner, other, one].map((each) => ask(each, dashboard)))
      const [ofBern, ofLyon] = [[{ _id: 'Bern', n: 2 }], [{ _id: 'Lyon', n: 1 }]]
      expect(answers).toEqual([all, ofBern, ofLyon, all, ofLyon, ofBern])
    }
    await setRule(one, lyon)
    expect(await ask(one, dashboard)).toEqual([{ _id: 'Lyon', n: 1 }])
  })
})

// From here on, a worker runs jobs.
test('a waiting import is rejected once its identity has a rule, and exports nothing', async () => {
  await upload(portal, author, 'contacts.csv', 'Name,City\nDora,Lyon\n')
  const draft = anImport({ name: 'New people', exportOnImportCompletion: true })
  const accepted = await author.post('/contact-service/v1/imports', draft)
  expect(accepted).toMatchObject({ status: 201 })
  await setRule(author, bern)
  expect(await author.post('/contact-service/v1/imports', draft)).toMatchObject(refused(403, 'not_allowed'))
  await portal.startWorker()
  const done = await ended(owner, accepted.json<{ _id: string }>()._id)
  expect(done).toMatchObject({ status: 'rejected', processedRecords: 0 })
  expect(done.recoveryError).toContain('The person or program that asked for')
  expect((await owner.get(exportsPath)).json<Export[]>()).toEqual([])
})

describe('a remote access', () => {
  const settings = { filter: '{"Name":"{{Name}}"}', publicColumns: 'City' }
  const read = () => readOffer(stranger(portal, 'https://shop.example.com'), owner.account, { Name: 'Ada' })

  test('serves all contacts if its identity sees all, and stops once that has a rule', async () => {
    const { _id: id } = await addAccess(author, settings)
    expect(await read()).toMatchObject({ status: 200, body: { City: 'Bern' } })
    await setRule(author, bern)
    await expect.poll(async () => (await read()).status, { timeout: 5000 }).toBe(403)
    const listed = (await owner.get(accessPath)).json<RemoteAccess[]>()
    expect(listed).toMatchObject([{ _id: id, stopped: changed }])
    const refusal = refused(403, 'not_allowed', { message: expect.stringContaining('opens all contacts') })
    expect(await author.post(accessPath, newAccess({ ...settings, domainOrIp: 'other.example' }))).toMatchObject(
      refusal,
    )
    expect(await author.put(`${accessPath}/${id}`, newAccess(settings))).toMatchObject(refusal)
  })

  test('uses an identity without a rule even if the person has another one with a rule', async () => {
    await setRule(author, bern)
    await addUnrestricted(author)
    expect(await addAccess(author, settings)).toMatchObject({ stopped: null })
    expect(await read()).toMatchObject({ status: 200, body: { City: 'Bern' } })
  })
})

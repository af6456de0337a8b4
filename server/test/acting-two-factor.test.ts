import type { Dashboard } from '@portico/contract/dashboards'
import type { RemoteAccess, RemoteAccessUsage } from '@portico/contract/remote-access'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { requireTwoFactorOf } from '#accounts'
import { runExport } from '#exports'
import { byProgram, linkOf } from '#test/resources/access.ts'
import { enter } from '#test/kit/administration.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, runsOf } from '#test/resources/crons.ts'
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
import { createExport, exportDraft, exportsPath, readExport } from '#test/resources/exports.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, addAccess, noLimits, readOffer, stranger } from '#test/resources/remote-accesses.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

// While a person lacks a required second factor, their stored work does nothing. None of it is lost: it continues once
// they have set up two-factor.

let portal: TestPortal
let server: WebhookServer
/** Has two-factor. */
let owner: Member
/** Has no two-factor. Everything in this file is stored by this member. */
let author: Member

beforeAll(async () => {
  server = await startWebhookServer()
  portal = await startPortal({ remoteAccessLimits: noLimits, outboundAllow: ['127.0.0.1'] })
  // In a separate account, since it is the first.
  await portal.powerAdmin()
})
afterAll(async () => {
  await portal.close()
  await server.close()
})
beforeEach(async () => {
  const account = await portal.account()
  await addContacts(portal.parts.database, account, { Name: 'string', City: 'string' }, [{ Name: 'Ada', City: 'Bern' }])
  owner = await portal.member(account)
  author = await portal.member(account)
  await setUp(owner)
})

const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
const setUp = ({ email }: Member) =>
  query('UPDATE portico.persons SET two_factor_since = now() WHERE email = $1', email)
const require = (isRequired = true) =>
  query('UPDATE portico.accounts SET requires_two_factor = $2 WHERE id = $1', owner.account, isRequired)
const paused = () => `${author.email} has to set up two-factor first, which is required here.`
const offers = '/contact-service/v1/offers'
const lacking = { status: 403, body: { error: { code: 'two_factor_needed' } } }

test('a cron has no runs until its author sets up two-factor, and gives the reason', async () => {
  const { _id } = await addCron(author, { instruction: exportDraft(['Name']) })
  await require()
  expect(await author.get(offers)).toMatchObject(lacking)
  const run = async () => {
    expect(await owner.post(`${crons}/${_id}/run`)).toMatchObject({ status: 202 })
    await runSchedulerOnce(portal.parts)
  }
  await run()
  const stopped = { status: 'terminated', comment: expect.stringContaining(paused()) }
  expect(await runsOf(owner, _id)).toContainEqual(expect.objectContaining(stopped))
  expect((await owner.get(exportsPath)).body).toEqual([])
  await setUp(author)
  await run()
  expect((await owner.get(exportsPath)).body).toHaveLength(1)
})

describe('a dashboard', () => {
  const cells = definition([{ id: 'c0', cols: 12, chart: pie('Cities') }])
  const ask = (by: Client, { _id }: Dashboard): Promise<Answer> =>
    by.post(`${dashboardsPath}/${_id}/cells/c0`, { version: 1 })
  const shared = (by: Member) => createDashboard(by, { definition: cells, sharedWith: inAccounts(by.account) })

  test('gives the reason in its cells while its author lacks two-factor', async () => {
    const viewer = await portal.member(owner.account, 'bi::dashboards::get')
    await setUp(viewer)
    const dashboard = await shared(author)
    expect(await ask(viewer, dashboard)).toMatchObject({ status: 200 })
    await require()
    expect(await ask(viewer, dashboard)).toMatchObject(refused(422, 'cell_failed', { message: paused() }))
    expect(await ask(owner, dashboard)).toMatchObject({ status: 200 })
    await setUp(author)
    expect(await ask(viewer, dashboard)).toMatchObject({ status: 200 })
  })

  test('saved by an API credential shows its cells, since programs have no second factor', async () => {
    const viewer = await portal.member(owner.account, 'bi::dashboards::get')
    await setUp(viewer)
    const credential = await byProgram(portal, author)
    const dashboard = await shared(credential)
    await require()
    expect(await credential.get(offers)).toMatchObject({ status: 200 })
    expect(await ask(viewer, dashboard)).toMatchObject({ status: 200 })
  })
})

describe('a link to a file', () => {
  const opened = async (url: string) => (await portal.app.inject(url)).statusCode
  const linkBy = async (by: Client, id: string) =>
    (await by.get(`/contact-service/v1/downloads/${id}.csv`)).json<{ url: string }>().url

  test('opens nothing while its creator lacks two-factor, even through an impersonation link', async () => {
    const { _id } = await createExport(author, exportDraft(['Name']))
    await runExport(portal.parts, owner.account, _id, new AbortController().signal)
    const link = portal.holder(await linkOf(author))
    const credential = await byProgram(portal, author)
    const urls = [await linkBy(author, _id), await linkBy(link, _id), await linkBy(credential, _id)]
    const statuses = () => Promise.all(urls.map(opened))
    expect(await statuses()).toEqual([200, 200, 200])
    await require()
    expect(await link.get(offers)).toMatchObject({ status: 401 })
    expect(await statuses()).toEqual([403, 403, 200])
    await setUp(author)
    expect(await statuses()).toEqual([200, 200, 200])
  })
})

test('an export is neither written nor delivered while its identity lacks two-factor, and can be delivered later', async () => {
  const notification = {
    type: 'http' as const,
    method: 'post' as const,
    endpoint: `${server.url}/hook`,
    headers: {},
    body: { file: '{{url}}' },
  }
  const made = await exportWith(portal, author, notification)
  const waiting = await createExport(author, exportDraft(['Name']))
  await require()
  await runExport(portal.parts, owner.account, waiting._id, new AbortController().signal)
  expect(await readExport(owner, waiting._id)).toMatchObject({ status: 'rejected', recoveryError: paused() })
  const delivery = await attemptNow(portal, owner, made._id)
  expect(delivery).toMatchObject({ status: 'rejected' })
  expect(server.received).toHaveLength(0)
  await setUp(author)
  expect(await owner.post(`${exportsPath}/${made._id}/deliveries/${delivery._id}/resend`)).toMatchObject({
    status: 200,
  })
  expect(await attemptNow(portal, owner, made._id)).toMatchObject({ status: 'completed' })
})

test('others cannot use a saved filter while its saver lacks two-factor', async () => {
  const aggregateQuery = '[{"$match":{"City":"Bern"}}]'
  const { _id } = (await author.post('/contact-service/v1/rdls', { name: 'In Bern', aggregateQuery })).json<{
    _id: string
  }>()
  const used = () => owner.post(exportsPath, exportDraft(['Name'], { aggregateQuery: `[{"$predefined":"${_id}"}]` }))
  expect(await used()).toMatchObject({ status: 201 })
  await require()
  expect(await used()).toMatchObject(refused(403, 'not_allowed', { message: expect.stringContaining(paused()) }))
  await setUp(author)
  expect(await used()).toMatchObject({ status: 201 })
})

test('if power admins must have two-factor, none of their identities acts without it, even in accounts', async () => {
  const { db } = portal.parts.database
  const operator = { actor: 'command line', address: null, via: { kind: 'command-line' as const } }
  const admin = await portal.powerAdmin()
  await addIdentity(portal, admin, owner.account)
  const inAccount = await enter(portal, admin, owner.account)
  const { _id } = await addCron(inAccount, { instruction: exportDraft(['Name']) })
  const other = await addCron(author, { instruction: exportDraft(['Name']) })
  const commentOf = async (cron: string) => {
    expect(await owner.post(`${crons}/${cron}/run`)).toMatchObject({ status: 202 })
    await runSchedulerOnce(portal.parts)
    return (await runsOf(owner, cron)).find(({ status }) => status === 'terminated')?.comment
  }
  try {
    await requireTwoFactorOf(db, 'power-admins', operator)
    expect(await inAccount.get(offers)).toMatchObject(lacking)
    expect(await commentOf(_id)).toContain(`${admin.email} has to set up two-factor first`)
    expect(await commentOf(other._id)).toBeUndefined()
  } finally {
    await requireTwoFactorOf(db, 'nobody', operator)
  }
})

// The last suite, since the worker would take the jobs of the others.
describe('a remote access', () => {
  beforeAll(() => portal.startWorker())

  test('serves nothing to strangers while its saver lacks two-factor, and its list and usage give the reason', async () => {
    const read = () =>
      readOffer(stranger(portal, 'https://shop.example.com'), owner.account, { Name: 'Ada' }).then(
        ({ status }) => status,
      )
    const { _id } = await addAccess(author, { filter: '{"Name":"{{Name}}"}', publicColumns: 'City' })
    expect(await read()).toBe(200)
    await require()
    await expect.poll(read, { timeout: 5000 }).toBe(403)
    expect((await owner.get(accessPath)).json<RemoteAccess[]>()).toMatchObject([{ _id, stopped: paused() }])
    const usage = async () => (await owner.get(`${accessPath}/${_id}/usage`)).json<RemoteAccessUsage>().refusedOrigins
    await expect.poll(async () => (await usage())[0]?.refusal, { timeout: 5000 }).toBe('saver_not_allowed')
    await setUp(author)
    await expect.poll(read, { timeout: 5000 }).toBe(200)
    expect((await owner.get(accessPath)).json<RemoteAccess[]>()).toMatchObject([{ _id, stopped: null }])
  })
})

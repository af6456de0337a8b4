import { api } from '@portico/contract/api'
import type { RemoteAccess, RemoteAccessUsage } from '@portico/contract/remote-access'
import type { Route, Stored } from '@portico/contract/route'
import type { Sender } from '@portico/contract/senders'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runExport } from '#exports'
import { addCredential, byProgram, identityOf, linkOf, memberWith, setConditions } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, newCron, runsOf } from '#test/resources/crons.ts'
import {
  createDashboard,
  dashboardsPath,
  definition,
  inAccounts,
  pie,
  refused,
  saveDashboard,
} from '#test/resources/dashboards.ts'
import { attemptNow, exportWith } from '#test/resources/deliveries.ts'
import { createExport, exportDraft, exportsPath, readExport } from '#test/resources/exports.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, addAccess, newAccess, noLimits, readOffer, stranger } from '#test/resources/remote-accesses.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

// Stored work of an impersonation link or an API credential does nothing once the link or the credential has ended.

const calls = Object.entries(api) as [keyof typeof api, Route][]
const storing = (what: Stored['what']) =>
  calls.flatMap(([name, route]) =>
    route.stores && route.stores.what === what ? [{ name, route, stored: route.stores }] : [],
  )

let portal: TestPortal
let server: WebhookServer
let owner: Member
let root: Member

beforeAll(async () => {
  server = await startWebhookServer()
  portal = await startPortal({ remoteAccessLimits: noLimits, outboundAllow: ['127.0.0.1'] })
  root = await portal.powerAdmin()
  // Refused calls leave nothing behind, so these tests share an owner.
  owner = await makeOwner()
})
afterAll(async () => {
  await portal.close()
  await server.close()
})

/** Creates the owner of a new account with a contact. */
async function makeOwner(): Promise<Member> {
  const account = await portal.account()
  await addContacts(portal.parts.database, account, { Name: 'string', City: 'string' }, [{ Name: 'Ada', City: 'Bern' }])
  return portal.member(account)
}

const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)

test.each(calls.filter(([, { method }]) => method !== 'GET'))('%s declares what it stores', (_name, route) =>
  expect(route).toHaveProperty('stores'),
)

/** Calls the route with values for which it stores something, if that depends on the request. */
function ask(client: Client, { method, path }: Route, { onlyWith = {} }: Stored): Promise<Answer> {
  const values = new Map(
    Object.entries(onlyWith).map(([name, of]) => [name, of === 'given' ? ['some'] : of[0]] as const),
  )
  const filled = path.replaceAll(/:(\w+)/g, (_whole, name: string) => {
    const value: unknown = [values.get(name)].flat()[0]
    return typeof value === 'string' ? value : '1'
  })
  const { get, post, put, delete: remove } = client
  return { GET: get, POST: post, PUT: put, DELETE: remove }[method](
    filled,
    method === 'GET' ? undefined : Object.fromEntries(values),
  )
}

test.each(storing('access'))('$name refuses to store access for an API credential', async ({ route, stored }) => {
  const { authorization } = await addCredential(portal, await identityOf(portal, { email: root.email, account: null }))
  const credential = portal.asking({ authorization, 'x-account-id': String(owner.account) })
  const other = 'Sign in with your password to do this. API credentials and impersonation links cannot.'
  const own = `API credentials and impersonation links cannot ${stored.does}. Sign in with your password to do this.`
  const message = route.access === 'self' ? other : own
  expect(await ask(credential, route, stored)).toMatchObject(refused(403, 'not_allowed', { message }))
})

describe('an impersonation link', () => {
  test.each([...storing('work'), ...storing('access')])(
    '$name refuses to store anything for an impersonation link',
    async ({ route, stored }) => {
      const answer = await ask(portal.holder(await linkOf(owner)), route, stored)
      // Calls of administrators, and those about oneself, refuse links for any reason.
      const message = route.access.includes('::')
        ? `Impersonation links cannot ${stored.does}. Sign in to do this.`
        : ''
      expect(answer).toMatchObject(refused(403, 'not_allowed', { message: expect.stringContaining(message) }))
    },
  )

  test('can export and import only without later work, and only while it is valid', async () => {
    const link = { ...owner, ...portal.holder(await linkOf(owner)) }
    const { _id } = await createExport(link, exportDraft(['Name']))
    expect(await link.post(exportsPath, exportDraft(['Name'], { notifications: [] }))).toMatchObject({ status: 201 })
    await link.post('/identity/v1/logout')
    await runExport(portal.parts, owner.account, _id, new AbortController().signal)
    expect(await readExport(owner, _id)).toMatchObject({ status: 'rejected', recoveryError: /link/ })
  })

  test('does not get features that only store', async () => {
    const link = portal.holder(await linkOf(owner))
    const features = (await link.get('/identity/v1/user')).json<{ policies: string[] }>().policies
    expect(features).toEqual(
      expect.arrayContaining(['contact-rdls-list', 'contact-dashboards-view', 'contact-export-create']),
    )
    for (const feature of [
      'contact-rdls-create',
      'contact-dashboards-create',
      'contact-access-update',
      'scheduler-crons-create',
    ]) {
      expect(features).not.toContain(feature)
    }
  })
})

/** Ways in which a credential stops working, by its access key. */
const ends: Record<string, string> = {
  'is deleted': 'DELETE FROM portico.api_credentials WHERE access_key = $1',
  'is switched off': 'UPDATE portico.api_credentials SET is_active = false WHERE access_key = $1',
  'has expired': `UPDATE portico.api_credentials SET expires_at = now() - interval '1 second' WHERE access_key = $1`,
}

/** Tests below, by the call that stores work: each is bound to the credential, or acts without anyone's rights. */
const bound: Partial<Record<keyof typeof api, string>> = {
  createDashboard: 'a dashboard',
  updateDashboard: 'a dashboard',
  restoreDashboardVersion: 'a dashboard',
  takeOverDashboard: 'the author is the person; its cells stay those of the version',
  createSavedFilter: 'a saved filter',
  updateSavedFilter: 'a saved filter',
  createRemoteAccess: 'a remote access',
  updateRemoteAccess: 'a remote access',
  createCron: 'a cron',
  updateCron: 'a cron',
  resumeCron: 'runs as its own holder',
  runCronNow: 'runs as its own holder',
  backfillCron: 'runs as its own holder',
  takeOverCron: 'a cron',
  createExport: 'an export',
  createImport: 'the automatic export has the holder of the import (acting.test.ts)',
  resendDelivery: 'sent as its own holder',
  resendScheduleDelivery: 'sent as its own holder',
  requestSender: 'a sender',
  addEventField: 'a name, which acts with no rights',
  setImportDefaults: 'settings, which act with no rights',
  createContactAccount: 'settings, which act with no rights',
  updateContactAccount: 'settings, which act with no rights',
  setExportSettings: 'settings, which act with no rights',
  setFilterSettings: 'settings, which act with no rights',
}

test('the tests below cover each call that stores work', () => {
  expect(Object.keys(bound).toSorted()).toEqual(
    storing('work')
      .map(({ name }) => name)
      .toSorted(),
  )
})

describe.each(Object.entries(ends))('once an API credential %s,', (_how, end) => {
  let credential: Member & { accessKey: string }
  beforeEach(async () => {
    owner = await makeOwner()
    credential = await byProgram(portal, owner)
  })
  const stop = () => query(end, credential.accessKey)

  test('a dashboard that it saved or restored shows nothing to others, until its author saves it', async () => {
    const viewer = await portal.member(owner.account, 'bi::dashboards::get')
    const cells = {
      definition: definition([{ id: 'c0', cols: 12, chart: pie('Cities') }]),
      sharedWith: inAccounts(owner.account),
    }
    const { _id } = await createDashboard(owner, cells)
    expect(await credential.post(`${dashboardsPath}/${_id}/versions/1/restore`)).toMatchObject({ status: 200 })
    const ask = (version: number) => viewer.post(`${dashboardsPath}/${_id}/cells/c0`, { version })
    expect(await ask(2)).toMatchObject({ status: 200 })
    await stop()
    const message = 'The API credential that saved this dashboard no longer works.'
    expect(await ask(2)).toMatchObject(refused(422, 'cell_failed', { message }))
    expect(await owner.post(`${dashboardsPath}/${_id}/cells/c0`, { version: 2 })).toMatchObject({ status: 200 })
    expect(await saveDashboard(owner, _id, cells)).toMatchObject({ status: 200 })
    expect(await ask(3)).toMatchObject({ status: 200 })
  })

  test('a cron that it saved has no runs, until a power user takes it over', async () => {
    const cron = await addCron(credential)
    await stop()
    const run = async () => {
      expect(await owner.post(`${crons}/${cron._id}/run`)).toMatchObject({ status: 202 })
      await runSchedulerOnce(portal.parts)
      return (await runsOf(owner, cron._id)).find(({ status }) => status !== 'waiting')
    }
    expect(await run()).toMatchObject({
      status: 'terminated',
      comment: 'The API credential behind it no longer works. A power user can take the cron over.',
    })
    const other = await portal.member(owner.account)
    expect(await other.post(`${crons}/${cron._id}/author`)).toMatchObject({ status: 200 })
    expect(
      await other.put(
        `${crons}/${cron._id}`,
        newCron({ name: cron.name, cronStart: cron.cronStart, instruction: cron.instruction }),
      ),
    ).toMatchObject({
      status: 200,
    })
  })

  test('its saved filter cannot be used until a person saves it again', async () => {
    const draft = { name: 'Bern', aggregateQuery: JSON.stringify([{ $match: { City: 'Bern' } }]) }
    const { _id } = (await credential.post('/contact-service/v1/rdls', draft)).json<{ _id: string }>()
    const find = encodeURIComponent(JSON.stringify([{ $predefined: _id }]))
    const limited = await memberWith(portal, owner.account, { actions: ['*::*::*'] })
    await setConditions(portal, limited, ['query::find::nct::City'])
    const use = (by: Member) => by.get(`/contact-service/v1/offers?find=${find}`)
    expect(await use(owner)).toMatchObject({ status: 200 })
    expect(await use(limited)).toMatchObject(refused(403, 'not_allowed'))
    await stop()
    expect(await use(owner)).toMatchObject(refused(403, 'not_allowed'))
    expect(await owner.put(`/contact-service/v1/rdls/${_id}`, draft)).toMatchObject({ status: 200 })
    expect(await use(owner)).toMatchObject({ status: 200 })
  })

  test('its export is neither written nor delivered', async () => {
    const endpoint = `${server.url}/hook`
    const made = await exportWith(portal, credential, {
      type: 'http',
      method: 'post',
      endpoint,
      headers: {},
      body: { a: 1 },
    })
    const queued = await createExport(credential, exportDraft(['Name']))
    await stop()
    await runExport(portal.parts, owner.account, queued._id, new AbortController().signal)
    const reason = 'The API credential behind it no longer works.'
    expect(await readExport(owner, queued._id)).toMatchObject({ status: 'rejected', recoveryError: reason })
    expect(await attemptNow(portal, owner, made._id)).toMatchObject({
      status: 'rejected',
      result: expect.stringContaining(reason),
    })
    expect(server.received).toEqual([])
  })

  test('a sender that it requested sends nothing, until a person requests it', async () => {
    const address = 'news@example.org'
    expect(await credential.post('/contact-service/v1/senders', { address })).toMatchObject({ status: 202 })
    await query('UPDATE portico.mail_senders SET verified_at = now() WHERE account_id = $1', owner.account)
    const states = async () =>
      (await owner.get('/contact-service/v1/senders')).json<{ senders: Sender[] }>().senders.map(({ state }) => state)
    expect(await states()).toEqual(['verified'])
    await stop()
    expect(await states()).toEqual(['waiting'])
    const email = {
      type: 'email',
      from: address,
      fromName: 'News',
      to: 'a@example.com',
      subject: 'S',
      textBody: 'T',
      htmlBody: '<p>Hi</p>',
    }
    const draft = { ...exportDraft(['Name']), notifications: [email] }
    const details = [{ field: 'notifications.0.from' }]
    expect(await owner.post(exportsPath, draft)).toMatchObject(refused(400, 'invalid_input', { details }))
    expect(await owner.post('/contact-service/v1/senders', { address })).toMatchObject({ status: 202 })
    await query('UPDATE portico.mail_senders SET verified_at = now() WHERE account_id = $1', owner.account)
    expect(await owner.post(exportsPath, draft)).toMatchObject({ status: 201 })
  })
})

describe.each(Object.entries(ends))('once an API credential %s,', (_how, end) => {
  beforeAll(() => portal.startWorker())
  beforeEach(async () => {
    owner = await makeOwner()
  })

  test('its remote access serves nothing until a person saves it', async () => {
    const settings = { filter: '{"Name":"{{Name}}"}', publicColumns: 'City' }
    const credential = await byProgram(portal, owner)
    const { _id: id } = await addAccess(credential, settings)
    const read = () => readOffer(stranger(portal, 'https://shop.example.com'), owner.account, { Name: 'Ada' })
    expect(await read()).toMatchObject({ status: 200 })
    await query(end, credential.accessKey)
    await expect.poll(async () => (await read()).status, { timeout: 5000 }).toBe(403)
    const usage = async () => (await owner.get(`${accessPath}/${id}/usage`)).json<RemoteAccessUsage>().refusedOrigins
    await expect.poll(async () => (await usage())[0]?.refusal, { timeout: 5000 }).toBe('saver_not_allowed')
    const [listed] = (await owner.get(accessPath)).json<RemoteAccess[]>()
    expect(listed?.stopped).toBe('The API credential behind it no longer works.')
    expect(await owner.put(`${accessPath}/${id}`, newAccess(settings))).toMatchObject({ status: 200 })
    expect(await read()).toMatchObject({ status: 200 })
  })
})

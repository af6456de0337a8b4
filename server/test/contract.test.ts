import { api } from '@portico/contract/api'
import type { Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { upsertOfferedEventFields } from '#contacts'
import { identityOf, linkOf } from '#test/resources/access.ts'
import { personIdOf } from '#test/kit/administration.ts'
import { callers, kindOf } from '#test/kit/callers.ts'
import { addCron, newCron } from '#test/resources/crons.ts'
import { reviewFile } from '#test/resources/reviews.ts'
import { submit } from '#test/resources/imports.ts'
import { accessPath, newAccess } from '#test/resources/remote-accesses.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Rules for every call of the API, in all modules.

const calls = Object.entries(api) as [keyof typeof api, Route][]
const openCalls = calls.filter(([, { access }]) => kindOf(access) === null)
const guardedCalls = calls.filter(([, { access }]) => kindOf(access) !== null)
const actionCalls = calls.filter(([, { access }]) => kindOf(access) === 'action')

let portal: TestPortal
let owner: Member
let stranger: Member
/** Ids of objects of the owner's account, by resource. */
let owned: Record<string, string>

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  stranger = await portal.member(await portal.account())
  owned = await fillAccount()
})
afterAll(() => portal.close())

/** Creates one object of each kind: an import with a rejected row, an export, a saved filter, a delete and an event. */
async function fillAccount(): Promise<Record<string, string>> {
  await portal.startWorker()
  const imported = await submit(portal, owner, 'First Name,City\nAda,London\nBob\nEve,Paris\n')
  const importId = await completed(`/contact-service/v1/imports/${imported._id}`)
  const exported = await owner.post('/contact-service/v1/exports', {
    name: 'All contacts',
    delimiter: 'csv',
    exportFields: ['City'],
  })
  const exportId = await completed(`/contact-service/v1/exports/${idOf(exported)}`)
  const dashboard = await owner.post('/contact-service/v1/dashboards', aDashboard())
  const filter = [{ $match: { 'First Name': 'Eve' } }]
  const saved = await owner.post('/contact-service/v1/rdls', {
    ...aSavedFilter,
    aggregateQuery: JSON.stringify(filter),
  })
  expect(await owner.delete('/contact-service/v1/offers', { filter, deletedRecords: 1 })).toMatchObject({ status: 200 })
  const [offer] = (await owner.get('/contact-service/v1/offers')).json<{ _id: string }[]>()
  expect(await owner.post(`/contact-service/v1/offers/${offer?._id}/events`, anEvent)).toMatchObject({ status: 201 })
  const offered = { at: new Date(), most: 1 }
  await upsertOfferedEventFields(portal.parts.database.db, owner.account, ['voucher'], offered)
  const cron = await addCron(owner, { name: 'Of the contract' })
  const access = await owner.post(accessPath, anAccess)
  const review = await reviewFile(portal, owner, 'First Name,City\nCy,Rome\n')
  return {
    crons: cron._id,
    schedules: cron.nextScheduleId ?? '',
    imports: importId,
    'import-reviews': review._id,
    exports: exportId,
    offers: offer?._id ?? '',
    downloads: `${exportId}.csv`,
    rdls: idOf(saved),
    segments: idOf(saved),
    dashboards: idOf(dashboard),
    remoteAccess: idOf(access),
    accounts: String(owner.account),
    fields: '1',
    deletes: '1',
    identities: await identityOf(portal, owner),
    people: await personIdOf(portal, owner),
    impersonations: await impersonationOf(owner),
  }
}

async function impersonationOf(member: Member): Promise<string> {
  await linkOf(member)
  const [link] = (await member.get('/identity/v1/impersonations')).json<{ _id: string }[]>()
  return link?._id ?? ''
}

const aDashboard = () => ({
  name: 'Overview',
  tags: ['event'],
  sharedWith: { paids: 'all', aids: [owner.account], users: 'all' },
  definition: '{"layout":[[{"cols":12}]]}',
})

const anEvent = { event_code: 'buy', event_date: '2026-05-06T07:08:09Z', price: 12.5 }

const anAccess = newAccess({ filter: '{"City":"{{City}}"}', publicColumns: '"First Name"' })

const aSavedFilter = { name: 'Those named Eve', aggregateQuery: '[]' }

function idOf(answer: Answer): string {
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<{ _id: string }>()._id
}

async function completed(path: string): Promise<string> {
  const status = async () => (await owner.get(path)).json<{ status: string }>().status
  await vi.waitFor(async () => expect(await status()).toBe('completed'), { timeout: 30_000, interval: 100 })
  return path.split('/').at(-1) ?? ''
}

/** Calls the route with the ids in `about`: those of the owner, or none. */
function call(client: Client, { method, path }: Route, about = owned, query?: string): Promise<Answer> {
  const resource = path.split('/')[3] ?? ''
  const values: Record<string, string> = {
    // The ids of downloads have their kind as a prefix.
    id: path.endsWith('/files/:id') ? `export-${about['exports'] ?? 'x'}` : (about[resource] ?? 'x'),
    contact: about['offers'] ?? 'x',
    file: about[resource] ?? 'x',
    fileName: 'contacts.csv',
    account: String(owner.account),
    email: owner.email,
    parent: '*',
    action: 'addapi',
    credentialId: '0',
    version: '1',
  }
  const filled = path.replaceAll(/:(\w+)/g, (_whole, name: string) => values[name] ?? 'x')
  const ask = { GET: client.get, POST: client.post, PUT: client.put, DELETE: client.delete }[method]
  const asked = [...(path === api.getPolicies.path ? ['justPolicies=true'] : []), ...(query ? [query] : [])].join('&')
  return ask(asked === '' ? filled : `${filled}?${asked}`, method === 'GET' ? undefined : {})
}

const isServed = ({ method, path }: Route): boolean => portal.app.hasRoute({ method, url: `/api${path}` })

test.each(calls)('%s has a handler', (_name, route) => expect(isServed(route)).toBe(true))

/** Returns the outcome of a call: `let` if it reached its handler, or the error code. */
function outcomeOf({ status, json }: Answer): string {
  return [401, 403, 500].includes(status) ? json<{ error: { code: string } }>().error.code : 'let'
}

describe.each(callers)('$who', ({ make, outcome, query, except = {} }) => {
  let usual: Promise<Client> | undefined

  test.each(guardedCalls)('%s', async (name, route) => {
    // Missing calls are reported once, above.
    if (!isServed(route)) return
    // Logging out ends the session, so this call gets a separate client.
    const client = name === 'logout' ? make(portal, owner.account) : (usual ??= make(portal, owner.account))
    // Without ids of the owner, as allowed callers would delete objects that other tests need.
    const answer = await call(await client, route, {}, query)
    const kind = kindOf(route.access)
    const wanted = except[name]?.outcome ?? (kind && outcome[kind])
    expect(outcomeOf(answer)).toBe(wanted)
  })
})

test.each(openCalls)('%s requires no token, and ignores an ended one', async (_name, route) => {
  expect((await call(portal.anonymous, route)).status).not.toBe(401)
  expect((await call(portal.holder('a.b.c'), route)).status).not.toBe(401)
})

/** Queries of lists that require one. */
const questions: Record<string, string> = {
  suggestOffers: 'text=ada',
  listCrons: 'consumerCode=EXPORT',
  listSchedules: 'consumerCode=EXPORT',
  previewFieldType: 'type=boolean',
}

/** The query that a call requires, in which it may name a thing of the owner. */
const questionOf = (name: string): string | undefined =>
  name === 'compareSegments' ? `with=${owned['segments'] ?? ''}` : questions[name]

/** Returns a valid body for the calls of crons. */
function cronBody(path: string, method: Route['method']): object {
  if (method === 'PUT') return newCron()
  if (path.endsWith('/backfills')) return { from: '2026-01-01T00:00:00Z' }
  return path.endsWith('/skips') ? { date: '2027-01-01T00:00:00Z' } : {}
}

/** Returns a valid body for the calls of people. */
function bodyOfPeople(path: string): object {
  if (path.endsWith('/state')) return { isDisabled: true }
  if (path.endsWith('/removal')) return { identities: [crypto.randomUUID()] }
  const { email } = stranger
  return path.endsWith('/preview') ? { email } : { email, items: [crypto.randomUUID()] }
}

describe('a member of another account', () => {
  const aboutOne = actionCalls.filter(([, { path }]) => /:(id|file)$|:id\//.test(path))
  // Only power admins change policies, groups and accounts, and they have access to all accounts.
  const ofAdministrators = calls.filter(([, { access }]) => access === 'administrator')
  // Every account has built-in indexes and defaults; index-list.test.ts and import-defaults.test.ts test that those of
  // other accounts are hidden. Geocoding does not depend on the account, and a rating, the sample page or the state of keys is not a list.
  const lists = actionCalls.filter(
    ([, { method, path }]) =>
      method === 'GET' &&
      !path.includes(':') &&
      !/\/(indexes|configuration|geocode|calendar|rating|sample|dedup-keys)/.test(path),
  )

  test.each(aboutOne.filter(([, { method }]) => method === 'GET'))('gets 404 from %s', async (name, route) => {
    const question = questionOf(name)
    expect((await call(owner, route, owned, question)).status).toBe(200)
    expect(await call(stranger, route, owned, question)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    })
  })

  test.each(aboutOne.filter(([, { method }]) => method !== 'GET'))(
    'cannot change anything with %s',
    async (_name, route) => {
      const resource = route.path.split('/')[3] ?? ''
      const path = route.path
        .replace(':id', owned[resource] ?? '')
        .replace(':version', '1')
        .replace(':part', 'cells')
      // Valid bodies for the routes, which would otherwise be refused.
      const bodies: Record<string, object> = {
        rdls: aSavedFilter,
        fields: path.endsWith('/type') ? { reading: { type: 'boolean' } } : { name: 'Town' },
        dashboards: aDashboard(),
        remoteAccess: anAccess,
        offers: route.method === 'PUT' ? { changes: { City: { from: 'London', to: 'Rome' } } } : anEvent,
        crons: cronBody(path, route.method),
        schedules: {},
        deletes: { deletedRecords: 1 },
      }
      const isOfVersion = /\/cells\/|\/restore$/.test(path)
      const body = isOfVersion
        ? { version: 1 }
        : path.endsWith('/favourite')
          ? { isFavourite: true }
          : path.endsWith('/merge')
            ? { other: owned['offers'] ?? '' }
            : (bodies[resource] ?? { cancel: true })
      const ask = { DELETE: stranger.delete, POST: stranger.post, PUT: stranger.put, GET: stranger.get }[route.method]
      const answer = await ask(path, body)
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    },
  )

  test.each(ofAdministrators.filter(([, { path }]) => path.includes('/:id')))(
    'cannot change anything of the owner with %s, as a power user',
    async (_name, route) => {
      // A valid body for the route, which would otherwise be refused.
      const isCredential = route.path.includes(':credentialId')
      const bodies: Record<string, object> = {
        accounts: { purlColumns: [], dedupColumns: [], notificationEmails: [] },
        identities: { email: stranger.email, groups: ['00000000-0000-4000-8000-000000000002'] },
        people: bodyOfPeople(route.path),
      }
      const resource = route.path.split('/')[3] ?? ''
      const body = isCredential ? {} : (bodies[resource] ?? {})
      const path = route.path
        .replace(':id', owned[resource] ?? '')
        .replace(':action', 'inactiveapi')
        .replace(':credentialId', '1')
      const ask = route.method === 'POST' ? stranger.post : stranger.put
      const answer = route.body ? await ask(path, body) : await call(stranger, route)
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    },
  )

  test.each(ofAdministrators.filter(([, { method, path }]) => method === 'GET' && !path.includes(':')))(
    'gets nothing of the owner from %s, as a power user',
    async (name, route) => {
      const asked: Record<string, string> = {
        explain: `email=${owner.email}&action=bi::reports::get`,
        getRights: `email=${owner.email}`,
        listRightHolders: 'action=bi::dashboards::get',
      }
      const question = asked[name]
      expect((await call(owner, route, owned, question)).status).toBe(200)
      expect(JSON.stringify((await call(stranger, route, owned, question)).body)).not.toContain(owner.email)
    },
  )

  test.each(lists)('gets an empty list from %s', async (name, route) => {
    const question = questions[name]
    expect((await call(owner, route, owned, question)).body).not.toEqual([])
    expect((await call(stranger, route, owned, question)).body).toEqual([])
  })

  test('cannot enter the account of the owner', async () => {
    expect(await call(stranger, api.chooseAccount)).toMatchObject({ status: 404 })
    expect(await call(stranger, api.getPolicies)).toMatchObject({ status: 404 })
  })
})

import { api } from '@portico/contract/api'
import type { Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from './portal.ts'

// What holds for every call of the API, whichever module serves it.

const calls: [string, Route][] = Object.entries(api)
const callsBy = (isIt: (access: Route['access']) => boolean) => calls.filter(([, { access }]) => isIt(access))
const openCalls = callsBy((access) => access === 'public' || access === 'signed-url')
const personCalls = callsBy((access) => access === 'person')
const accountCalls = callsBy((access) => access === 'account')
const actionCalls = callsBy((access) => access.includes('::'))

let portal: TestPortal
let owner: Member
let stranger: Member
let bystander: Member
/** What belongs to the owner's account, by the path that shows it. */
let owned: Record<string, string>

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  stranger = await portal.member(await portal.account())
  bystander = await portal.member(owner.account, 'nothing::at::all')
  owned = await fillAccount()
})
afterAll(() => portal.close())

/** Imports a contact and a row that is none, and exports: so there is one of everything to ask for. */
async function fillAccount(): Promise<Record<string, string>> {
  await portal.startWorker()
  const upload = (await owner.get('/contact-service/v1/uploads/contacts.csv')).json<{ url: string }>()
  const { pathname, search } = new URL(upload.url, 'http://localhost')
  await portal.app.inject({ method: 'PUT', url: pathname + search, payload: 'First Name,City\nAda,London\nBob\n' })
  const imported = await owner.post('/contact-service/v1/imports', {
    name: 'Some contacts',
    filePath: 'contacts.csv',
    fileDelimiter: 'comma',
    processBatchSize: 25,
    generatePURL: false,
    purlGenerationScope: 'account',
    dedupHashMatching: false,
    typeCasting: false,
    exportOnImportCompletion: false,
  })
  const importId = await completed(`/contact-service/v1/imports/${idOf(imported)}`)
  const exported = await owner.post('/contact-service/v1/exports', {
    name: 'All contacts',
    delimiter: 'csv',
    exportFields: ['City'],
  })
  const exportId = await completed(`/contact-service/v1/exports/${idOf(exported)}`)
  const [offer] = (await owner.get('/contact-service/v1/offers')).json<{ _id: string }[]>()
  return { imports: importId, exports: exportId, offers: offer?._id ?? '', downloads: `${exportId}.csv` }
}

function idOf(answer: Answer): string {
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<{ _id: string }>()._id
}

async function completed(path: string): Promise<string> {
  const status = async () => (await owner.get(path)).json<{ status: string }>().status
  await vi.waitFor(async () => expect(await status()).toBe('completed'), { timeout: 30_000, interval: 100 })
  return path.split('/').at(-1) ?? ''
}

/** Calls the route as the owner would, about what is the owner's. */
function call(client: Client, { method, path }: Route): Promise<Answer> {
  const resource = path.split('/')[3] ?? ''
  const values: Record<string, string> = {
    id: owned[resource] ?? '',
    file: owned[resource] ?? '',
    fileName: 'contacts.csv',
    account: String(owner.account),
    email: owner.email,
    parent: '*',
  }
  const filled = path.replaceAll(/:(\w+)/g, (_whole, name: string) => values[name] ?? 'x')
  const ask = { GET: client.get, POST: client.post, PUT: client.put, DELETE: client.delete }[method]
  return ask(path === api.getPolicies.path ? `${filled}?justPolicies=true` : filled, method === 'GET' ? undefined : {})
}

test.each(calls)('%s is served', (_name, { method, path }) => {
  expect(portal.app.hasRoute({ method, url: `/api${path}` })).toBe(true)
})

test('the kinds of access are those that are proved here', () => {
  expect(openCalls.length + personCalls.length + accountCalls.length + actionCalls.length).toBe(calls.length)
})

describe('without a token', () => {
  test.each([...personCalls, ...accountCalls, ...actionCalls])('%s answers 401', async (_name, route) => {
    const answer = await call(portal.anonymous, route)
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'not_signed_in' } } })
  })

  test.each(openCalls)('%s does not ask for one', async (_name, route) => {
    expect((await call(portal.anonymous, route)).status).not.toBe(401)
  })
})

describe('with a token that is for no account yet', () => {
  test.each([...accountCalls, ...actionCalls])('%s answers 401', async (_name, route) => {
    const answer = await call(portal.holder(await portal.signIn(owner.email)), route)
    expect(answer).toMatchObject({ status: 401, body: { error: { message: 'Please choose an account.' } } })
  })

  test.each(personCalls)('%s is open', async (_name, route) => {
    const answer = await call(portal.holder(await portal.signIn(owner.email)), route)
    expect(answer.status).toBeLessThan(300)
  })
})

describe('without a policy that allows it', () => {
  test.each(actionCalls)('%s answers 403 and names the action', async (_name, route) => {
    const answer = await call(bystander, route)
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: 'not_allowed', details: { action: route.access } } },
    })
  })
})

describe('in another account', () => {
  const aboutOne = actionCalls.filter(([, { path }]) => /:(id|file)$|:id\//.test(path))
  const lists = actionCalls.filter(([, { method, path }]) => method === 'GET' && !path.includes(':'))

  test.each(aboutOne.filter(([, { method }]) => method === 'GET'))(
    '%s does not find what the owner finds',
    async (_name, route) => {
      expect((await call(owner, route)).status).toBe(200)
      expect(await call(stranger, route)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    },
  )

  test.each(aboutOne.filter(([, { method }]) => method !== 'GET'))('%s changes nothing', async (_name, route) => {
    // A body that the route takes, or it would be refused for that.
    const path = route.path.replace(':id', owned[route.path.split('/')[3] ?? ''] ?? '')
    const answer = await stranger.put(path, { cancel: true })
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  })

  test.each(lists)('%s lists nothing of the owner', async (_name, route) => {
    expect((await call(owner, route)).body).not.toEqual([])
    expect((await call(stranger, route)).body).toEqual([])
  })

  test('nobody enters who has no identity there', async () => {
    expect(await call(stranger, api.chooseAccount)).toMatchObject({ status: 404 })
    expect(await call(stranger, api.getPolicies)).toMatchObject({ status: 404 })
  })
})

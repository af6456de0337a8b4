import { api } from '@portico/contract/api'
import type { Identity } from '@portico/contract/identities'
import type { Group, Policy } from '@portico/contract/policies'
import { menuNames } from '@portico/contract/preferences'
import type { Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCredential, identityOf, linkOf } from '#test/resources/access.ts'
import { groupId, makeGroup, makeIdentity, makePolicy, personIdOf } from '#test/kit/administration.ts'
import { kindOf } from '#test/kit/callers.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { stranger } from '#test/resources/remote-accesses.ts'
import { openedBy } from '#test/kit/ways-in.ts'

// No secret can create, prolong, reactivate or widen a credential, a link, an invitation, an identity or a session: it
// would outlive itself. Checked in the database, for every call and every kind of secret, independently of the
// contract.

type Name = keyof typeof api
const calls = Object.entries(api) as [Name, Route][]

const menus = Object.fromEntries(menuNames.map((name) => [name, []]))

/** The input of a call: values of its path, and its body. */
type Request = { params?: Record<string, string>; body?: object }

/** An account in which every way in is closed, and can be opened. */
type World = {
  owner: Member
  root: Member
  /** A service identity with an inactive credential. */
  service: Identity
  /** Identity of a person who has not accepted yet. */
  invited: Identity
  /** Id of a person whose identity is disabled. */
  disabled: string
  policy: Policy
  group: Group
  suspended: number
}

let portal: TestPortal
let fullAccess: string
let world: World
let lastNumber = 0

beforeAll(async () => {
  portal = await startPortal()
  fullAccess = await groupId(await portal.powerAdmin(), 'Power users')
})
afterAll(() => portal.close())

async function makeWorld(): Promise<World> {
  const root = await portal.powerAdmin()
  const name = `World ${++lastNumber}`
  const owner = await portal.member(await portal.account(name))
  const policy = await makePolicy(root, `Policy of ${name}`)
  const group = await makeGroup(root, `Group of ${name}`, [policy])
  const service = await makeIdentity(owner, { serviceName: `Service of ${name}`, groups: [group._id] })
  await addCredential(portal, service._id, false)
  const invited = await makeIdentity(owner, { email: `invited-${lastNumber}@example.com`, groups: [group._id] })
  const { pool } = portal.parts.database
  const closed = await portal.account(`Closed ${name}`)
  await pool.query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', [closed])
  await pool.query('UPDATE portico.accounts SET requires_two_factor = true WHERE id = $1', [closed])
  const left = await portal.member(owner.account)
  const disabled = await personIdOf(portal, left)
  await pool.query('UPDATE portico.identities SET is_disabled = true WHERE person_id = $1', [disabled])
  return { owner, root, service, invited, disabled, policy, group, suspended: closed }
}

/** The calls that open or widen a way in, each with a request that does; those about oneself are below. */
const opening: Partial<Record<Name, { by: 'root' | 'owner'; requests: (world: World) => Request[] }>> = {
  createIdentity: {
    by: 'owner',
    requests: ({ group }) => [
      { body: { email: `new-${++lastNumber}@example.com`, groups: [group._id] } },
      { body: { serviceName: `New ${++lastNumber}`, groups: [group._id] } },
    ],
  },
  updateIdentity: {
    by: 'owner',
    requests: ({ service: { _id, serviceName } }) => [
      { params: { id: _id }, body: { serviceName, groups: [fullAccess] } },
      { params: { id: _id }, body: { serviceName, groups: [fullAccess], cidr: '10.0.0.0/8' } },
    ],
  },
  setPersonState: {
    by: 'owner',
    requests: ({ disabled }) => [{ params: { id: disabled }, body: { isDisabled: false } }],
  },
  inviteIdentity: { by: 'owner', requests: ({ invited: { _id } }) => [{ params: { id: _id } }] },
  changeCredential: {
    by: 'owner',
    requests: ({ service: { _id } }) => [
      { params: { id: _id, action: 'addapi', credentialId: '0' }, body: {} },
      { params: { id: _id, action: 'reactiveapi', credentialId: '1' }, body: {} },
    ],
  },
  impersonate: { by: 'owner', requests: () => [{ params: { ip: '127.0.0.1', expirySeconds: '172800' } }] },
  impersonateWithPolicies: {
    by: 'owner',
    requests: () => [{ params: { ip: '127.0.0.1', expirySeconds: '172800', policies: 'contact-offers-list' } }],
  },
  updatePolicy: {
    by: 'root',
    requests: ({ policy: { _id, name } }) => [{ params: { id: _id }, body: { name, actions: ['*::*::*'] } }],
  },
  updateGroup: {
    by: 'root',
    requests: ({ group: { _id, name }, policy }) => [
      { params: { id: _id }, body: { name, policies: [policy._id, '00000000-0000-4000-8000-000000000002'] } },
    ],
  },
  createAccount: {
    by: 'root',
    requests: () => [
      {
        body: {
          name: `Opened ${++lastNumber}`,
          timeZone: 'UTC',
          parent: null,
          powerUser: `opened-${lastNumber}@example.com`,
        },
      },
    ],
  },
  updateAccount: {
    by: 'root',
    requests: ({ suspended }) => [
      { params: { id: String(suspended) }, body: { isSuspended: false } },
      { params: { id: String(suspended) }, body: { timeZone: 'Asia/Tokyo', isSuspended: false } },
    ],
  },
  addPowerUser: {
    by: 'root',
    requests: ({ owner }) => [
      { params: { id: String(owner.account) }, body: { email: `power-${++lastNumber}@example.com` } },
    ],
  },
  setAccountPreference: {
    by: 'owner',
    requests: ({ owner }) => [
      {
        body: {
          AccountID: owner.account,
          IdentityToken: owner.token,
          Preference: JSON.stringify({ menus, timeout: 180 }),
        },
      },
    ],
  },
}

/**
 * Calls about oneself. They require a session, so trying them with a secret needs no request that would open a way in.
 */
const isAboutOneself = ({ access }: Route): boolean => kindOf(access) === 'self'

function idIn({ path }: Route, { service, invited, policy, group, suspended }: World): string {
  const ids = { identities: service, policies: policy, groups: group, invitations: invited }
  const resource = path.split('/').find((part): part is keyof typeof ids => Object.hasOwn(ids, part))
  return resource ? ids[resource]._id : path.includes('/accounts/') ? String(suspended) : '1'
}

function ask(client: Client, route: Route, { params = {}, body = {} }: Request, of: World): Promise<Answer> {
  const values: Record<string, string> = {
    id: idIn(route, of),
    account: String(of.owner.account),
    ip: '127.0.0.1',
    expirySeconds: '172800',
    action: 'addapi',
    credentialId: '0',
    ...params,
  }
  const path = route.path.replaceAll(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(values[name] ?? '1'))
  const { get, post, put, delete: remove } = client
  return { GET: get, POST: post, PUT: put, DELETE: remove }[route.method](
    path,
    route.method === 'GET' ? undefined : body,
  )
}

describe('with a session', () => {
  beforeAll(async () => {
    world = await makeWorld()
  })

  test.each(Object.entries(opening))('each request of %s creates or widens access', async (name, { by, requests }) => {
    for (const request of requests(world)) {
      const opened = await openedBy(portal, async () => {
        expect((await ask(world[by], api[name as Name], request, world)).status).toBeLessThan(300)
      })
      expect(opened).not.toEqual([])
    }
  })

  /** Lets stored work act by another person's right, which opens no way in. */
  const ofWork = ['handOver']

  test('the tests cover every call that declares it, except calls about the person', () => {
    const said = calls.flatMap(([name, { stores }]) => (stores && stores.what === 'access' ? [name] : []))
    const tried = [...Object.keys(opening), ...ofWork, ...said.filter((name) => isAboutOneself(api[name]))]
    expect(said.toSorted()).toEqual(tried.toSorted())
  })

  test('no other call creates or widens access', async () => {
    const others = inOrder(calls.filter(([name, { stores }]) => !opening[name] && (!stores || stores.what === 'work')))
    const opened = await openedBy(portal, async () => {
      for (const [, route] of others) for (const by of [world.root, world.owner]) await ask(by, route, {}, world)
    })
    expect(opened).toEqual([])
  })
})

/** Calls that delete come last, which leaves something to open for the others; the caller signs out at the end. */
function inOrder(list: readonly [Name, Route][]): [Name, Route][] {
  const rank = ([name, { method }]: [Name, Route]): number => (name === 'logout' ? 2 : method === 'DELETE' ? 1 : 0)
  return list.toSorted((one, other) => rank(one) - rank(other))
}

const byCredential = async (identity: string, account: number): Promise<Client> => {
  const { authorization } = await addCredential(portal, identity)
  return portal.asking({ authorization, 'x-account-id': String(account) })
}

const secrets: [string, (of: World) => Promise<Client>][] = [
  [
    'an API credential of a power user',
    async ({ owner }) => byCredential(await identityOf(portal, owner), owner.account),
  ],
  [
    'an API credential of a power admin',
    async ({ owner, root }) =>
      byCredential(await identityOf(portal, { email: root.email, account: null }), owner.account),
  ],
  [
    'an API credential of a service identity with full access',
    async ({ owner }) => {
      const service = await makeIdentity(owner, { serviceName: 'Full', groups: [fullAccess] })
      return byCredential(service._id, owner.account)
    },
  ],
  ['an impersonation link of a power user', async ({ owner }) => portal.holder(await linkOf(owner))],
  ['an impersonation link of a power admin', async ({ root }) => portal.holder(await linkOf(root))],
  ['a page that a remote access lets in', async () => stranger(portal, 'https://shop.example.com')],
]

test.each(secrets)('%s cannot create or widen access by any call', async (_kind, make) => {
  world = await makeWorld()
  const client = await make(world)
  for (const [name, route] of inOrder(calls)) {
    for (const request of [...(opening[name]?.requests(world) ?? []), {}]) {
      const opened = await openedBy(portal, () => ask(client, route, request, world))
      expect({ name, opened }).toEqual({ name, opened: [] })
    }
  }
})

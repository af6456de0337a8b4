import { api } from '@portico/contract/api'
import type { ErrorCode } from '@portico/contract/errors'
import type { AccountId } from '@portico/contract/accounts'
import { type Access, type Action, isOpenAccess, type Route, type Stored } from '@portico/contract/route'
import {
  addCredential,
  farHours,
  identityOf,
  limit,
  linkOf,
  memberWith,
  type TestLimits,
} from '#test/resources/access.ts'
import type { Client, Member, TestPortal } from './portal.ts'

// Callers and the outcome of each kind of call for them: the table of contract.test.ts.

/** Kinds of access (`Access` of the contract), with all actions as one. */
export type Kind = 'person' | 'self' | 'account' | 'action' | 'administrator' | 'power-admin'

/** `let`: reaches the handler, whether or not the input is valid. Otherwise refused with this code. */
type Outcome = 'let' | Extract<ErrorCode, 'not_signed_in' | 'outside_limits' | 'not_allowed'>

export type Caller = {
  who: string
  make: (portal: TestPortal, account: AccountId) => Promise<Client>
  outcome: Record<Kind, Outcome>
  /** Sent with each call. */
  query?: string
  /** Calls with a different outcome than their kind, each with its reason. */
  except?: Partial<Record<keyof typeof api, { outcome: Outcome; reason: string }>>
}

/** Returns null for calls without access control. */
export function kindOf(access: Access): Kind | null {
  if (isOpenAccess(access)) return null
  return isAction(access) ? 'action' : access
}

const isAction = (access: Access): access is Action => access.includes('::')

const everyAction = [...new Set(Object.values(api).flatMap(({ access }) => (isAction(access) ? [access] : [])))]

function all(outcome: Outcome): Record<Kind, Outcome> {
  return {
    person: outcome,
    self: outcome,
    account: outcome,
    action: outcome,
    administrator: outcome,
    'power-admin': outcome,
  }
}

const administratorsOnly = { ...all('let'), administrator: 'not_allowed', 'power-admin': 'not_allowed' } as const

async function limited(portal: TestPortal, account: AccountId, limits: TestLimits): Promise<Member> {
  const member = await portal.member(account)
  await limit(portal, await identityOf(portal, member), limits)
  return member
}

const conditional =
  (condition: string) =>
  (portal: TestPortal, account: AccountId): Promise<Member> =>
    memberWith(portal, account, { actions: ['*::*::*'], conditions: [condition] })

const beyondRequest = {
  outcome: 'not_allowed',
  reason: 'acts on more than its request, so conditions do not count',
} as const
const unconditional: Caller['except'] = Object.fromEntries(
  Object.entries<Route>(api).flatMap(([name, { isUnconditional }]) => (isUnconditional ? [[name, beyondRequest]] : [])),
)

const withSession: Caller[] = [
  { who: 'without a token', make: async (portal) => portal.anonymous, outcome: all('not_signed_in') },
  {
    who: 'with a token that is for no account yet',
    make: async (portal, account) => portal.holder(await portal.signIn((await portal.member(account)).email)),
    outcome: { ...all('not_signed_in'), person: 'let', self: 'let' },
  },
  {
    who: 'without a policy',
    make: (portal, account) => portal.member(account, 'nothing::at::all'),
    outcome: { ...administratorsOnly, action: 'not_allowed' },
  },
  {
    who: 'with the right policy',
    make: (portal, account) => portal.member(account, ...everyAction),
    outcome: administratorsOnly,
  },
  {
    who: 'with the right policy, whose condition is met',
    make: conditional('query::probe::neq::no'),
    outcome: administratorsOnly,
    except: unconditional,
  },
  {
    who: 'with the right policy, whose condition is not met',
    make: conditional('query::probe::eq::yes'),
    query: 'probe=no',
    outcome: { ...administratorsOnly, action: 'not_allowed' },
  },
  {
    who: 'as a power user',
    make: (portal, account) => portal.member(account),
    outcome: { ...all('let'), 'power-admin': 'not_allowed' },
  },
  { who: 'as a power admin', make: (portal) => portal.powerAdmin(), outcome: all('let') },
  {
    who: 'outside the hours',
    make: (portal, account) => limited(portal, account, { hours: farHours(), hoursEffect: 'in' }),
    outcome: all('outside_limits'),
  },
  {
    who: 'outside the addresses',
    make: (portal, account) => limited(portal, account, { cidr: '10.0.0.0/8' }),
    outcome: all('outside_limits'),
  },
  {
    who: 'with an identity that is disabled',
    make: (portal, account) => limited(portal, account, { isDisabled: true }),
    outcome: all('not_signed_in'),
  },
  {
    who: 'with a token for an account that one is no longer in',
    async make(portal, account) {
      const member = await portal.member(account)
      const query = 'UPDATE portico.identities SET account_id = $2 WHERE id = $1'
      await portal.parts.database.pool.query(query, [await identityOf(portal, member), await portal.account()])
      return member
    },
    outcome: all('not_signed_in'),
  },
  {
    who: 'in a suspended account',
    async make(portal) {
      const account = await portal.account()
      const member = await portal.member(account)
      await portal.parts.database.pool.query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', [
        account,
      ])
      return member
    },
    outcome: all('outside_limits'),
  },
  {
    who: 'with a session that was revoked',
    async make(portal, account) {
      const member = await portal.member(account)
      await portal.parts.database.pool.query(
        'UPDATE portico.sessions s SET revoked_at = now() FROM portico.persons p WHERE p.id = s.person_id AND email = $1',
        [member.email],
      )
      return member
    },
    outcome: all('not_signed_in'),
  },
]

const noSession = { outcome: 'not_allowed', reason: 'A credential has no session that could move or end.' } as const

/** Calls that store something of this kind in any case: a secret may not make them. */
const storing = (what: Stored['what']): NonNullable<Caller['except']> =>
  Object.fromEntries(
    Object.entries<Route>(api).flatMap(([name, { stores }]) =>
      stores && stores.what === what && !stores.onlyWith
        ? [[name, { outcome: 'not_allowed', reason: 'What it stores would outlive the secret.' }]]
        : [],
    ),
  )

const withCredential: Caller[] = [
  {
    who: 'with an API credential of a power user',
    make: (portal, account) => programOf(portal, account, true),
    outcome: { ...all('let'), self: 'not_allowed', 'power-admin': 'not_allowed' },
    except: {
      ...storing('access'),
      chooseAccount: noSession,
      logout: noSession,
      changeCredential: { outcome: 'not_allowed', reason: 'A secret makes no other secret.' },
    },
  },
  {
    who: 'with an API credential that is switched off',
    make: (portal, account) => programOf(portal, account, false),
    outcome: all('not_signed_in'),
  },
]

async function programOf(portal: TestPortal, account: AccountId, isActive: boolean): Promise<Client> {
  const identity = await identityOf(portal, await portal.member(account))
  const { authorization } = await addCredential(portal, identity, isActive)
  return portal.asking({ authorization })
}

const withLink: Caller[] = [
  {
    who: 'by an impersonation link of a power admin',
    make: async (portal) => portal.holder(await linkOf(await portal.powerAdmin())),
    outcome: { ...administratorsOnly, self: 'not_allowed' },
    except: storing('work'),
  },
  {
    who: 'by an impersonation link, from another address',
    make: async (portal, account) => {
      const token = await linkOf(await portal.member(account))
      return portal.asking({ authorization: token }, '203.0.113.7')
    },
    outcome: all('not_signed_in'),
  },
  {
    who: 'by an impersonation link that was revoked',
    async make(portal, account) {
      const client = portal.holder(await linkOf(await portal.member(account)))
      await client.post('/identity/v1/logout')
      return client
    },
    outcome: all('not_signed_in'),
  },
]

/** All callers, allowed or not. */
export const callers: Caller[] = [...withSession, ...withCredential, ...withLink]

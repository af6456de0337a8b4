import type { AccountId } from '@portico/contract/accounts'
import { NewIdentity, servicePrefix } from '@portico/contract/identities'
import { NewGroup, NewPolicy } from '@portico/contract/policies'
import {
  type Administrator,
  createAccountGroup,
  createGroup,
  createIdentityQuietly,
  createPolicy,
  listGroups,
  listIdentityRows,
  listPolicies,
  everything,
} from '#access'
import { changeCredentialOf } from '#credentials'
import { addPersonWithRandomPassword } from '#sign-in'
import { requireAccount } from '#accounts'
import type { Services } from '#platform/services.ts'
import type { DemoAccount, DemoPerson, DemoPolicy, DemoService } from './demo-account.ts'
import { globalAdminGroups, globalGroups, globalPolicies } from './people.ts'

type Load = Pick<Services, 'database'> & { signal: AbortSignal }

const by = { actor: 'demo', address: null, via: { kind: 'portal' as const } }

/** Creates the global policies and groups that do not exist yet. */
export async function makeGlobalAccess({ database: { db }, signal }: Load, account: AccountId): Promise<void> {
  const admin = administrator(account, { isPowerAdmin: true })
  await makePolicies(db, admin, globalPolicies, '*')
  const policies = new Map((await listPolicies(db, admin)).map(({ name, _id }) => [name, _id]))
  const known = new Set((await listGroups(db, admin)).map(({ name }) => name))
  const wanted = [
    ...Object.entries(globalGroups).map((group) => ({ group, isAdmin: false })),
    ...Object.entries(globalAdminGroups).map((group) => ({ group, isAdmin: true })),
  ]
  for (const { group, isAdmin } of wanted) {
    signal.throwIfAborted()
    const [name, held] = group
    const ids = held.map((policy) => policies.get(policy) ?? policy)
    if (!known.has(name)) await createGroup(db, admin, NewGroup.parse({ name, isAdmin, policies: ids }))
  }
}

/** Creates the account's policies, groups, people and services. No emails are sent. */
export async function makeAccess(
  load: Load,
  account: AccountId,
  { access, people, services = [] }: DemoAccount,
): Promise<void> {
  const { db } = load.database
  const { parentId } = await requireAccount(db, account)
  const place = { owner: parentId ?? account, isSubAccount: parentId !== null }
  const admin = administrator(account, place)
  if (access) {
    await makePolicies(db, administrator(account, { ...place, isPowerAdmin: true }), access.policies, account)
    const known = new Set((await listGroups(db, admin)).map(({ name }) => name))
    for (const [name, policies] of Object.entries(access.groups)) {
      if (!known.has(name)) await createAccountGroup(db, account, { name, policies }, by)
    }
  }
  const groups = new Map((await listGroups(db, admin)).map(({ name, _id }) => [name, _id]))
  const known = new Set((await listIdentityRows(db, admin)).map(({ email }) => email))
  for (const person of people) {
    load.signal.throwIfAborted()
    if (!known.has(person.email)) await makePerson(load, admin, person, groups)
  }
  for (const service of services) {
    load.signal.throwIfAborted()
    if (!known.has(servicePrefix + service.name)) await makeService(load, admin, service, groups)
  }
}

function administrator(account: AccountId, more: Partial<Administrator>): Administrator {
  const own: Administrator = {
    account,
    owner: account,
    isSubAccount: false,
    isPowerAdmin: false,
    personId: '',
    signIn: { kind: 'session', showsPasskey: true, personId: '' },
    holdings: [everything],
    by,
    inviter: by.actor,
    ...more,
    now: async () => own,
  }
  return own
}

async function makePolicies(
  db: Load['database']['db'],
  admin: Administrator,
  policies: readonly (DemoPolicy & { isAdmin?: true })[],
  ownerPaid: AccountId | '*',
): Promise<void> {
  const known = new Set((await listPolicies(db, admin)).map(({ name }) => name))
  for (const policy of policies) {
    if (!known.has(policy.name)) await createPolicy(db, admin, NewPolicy.parse({ ...policy, ownerPaid }))
  }
}

async function makePerson(
  { database: { db } }: Load,
  admin: Administrator,
  { name, email, groups, isInvited, limits }: DemoPerson,
  known: ReadonlyMap<string, string>,
): Promise<void> {
  if (!isInvited) await addPersonWithRandomPassword(db, email)
  const ids = groups.map((group) => known.get(group) ?? group)
  await createIdentityQuietly(db, admin, NewIdentity.parse({ email, userName: name, groups: ids, ...limits }))
}

async function makeService(
  { database: { db } }: Load,
  admin: Administrator,
  { name, groups, credentials, limits }: DemoService,
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const ids = groups.map((group) => known.get(group) ?? group)
  // In one transaction, or an interrupted load would leave a service without credentials.
  await db.transaction().execute(async (tx) => {
    const draft = NewIdentity.parse({ serviceName: name, groups: ids, ...limits })
    const identity = await createIdentityQuietly(tx, admin, draft)
    for (let count = 0; count < credentials.count; count++) {
      await changeCredentialOf(tx, identity, { action: 'addapi', credential: '0' }, { by })
    }
    if (credentials.isLastOff) {
      const change = { action: 'inactiveapi' as const, credential: String(credentials.count) }
      await changeCredentialOf(tx, identity, change, { by })
    }
  })
}

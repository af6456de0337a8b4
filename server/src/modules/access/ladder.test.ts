import type { AccountId } from '@portico/contract/accounts'
import type { Identity } from '@portico/contract/identities'
import type { Group, Policy } from '@portico/contract/policies'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { identityOf } from '#test/resources/access.ts'
import { findIdentity, groupId, listed, makeIdentity, makePolicy } from '#test/kit/administration.ts'
import { asPut, exceeding, makeLimitedAdmin } from '#test/kit/limited-admin.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Administrators give, make and change no more than they hold themselves. `server/test/ladder-random.test.ts` tries
// sequences at random.

const base = '/identity/v1'

const waitingForLocks = `
  SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

let portal: TestPortal
let parent: AccountId
let account: AccountId
let admin: Member
let full: string
let powerUsers: string

beforeAll(async () => {
  portal = await startPortal()
  parent = await portal.account()
  account = await portal.account(undefined, parent)
  admin = await portal.powerAdmin()
  full = await groupId(admin, 'Administrators')
  powerUsers = await groupId(admin, 'Power users')
})
afterAll(() => portal.close())

let number = 0
let email: string
let name: string
/** A power admin with these rights alone. */
const limitedAdmin = (actions: string[], conditions: string[] = []) =>
  makeLimitedAdmin(portal, admin, { actions, conditions })

beforeEach(() => {
  number += 1
  email = `person-${number}@example.com`
  name = `Number ${number}`
})

const withoutAction = (action: string) => ({
  status: 403,
  body: { error: { code: 'not_allowed', details: { action } } },
})

describe('a power admin with read-only rights', () => {
  test('can read, but create, change and suspend nothing', async () => {
    const reader = await limitedAdmin(['*::*::get'])
    expect(await listed<Policy>(reader, 'policies')).not.toHaveLength(0)
    expect(await reader.get(`${base}/audit`)).toMatchObject({ status: 200 })
    const everything = { name, isAdmin: true, actions: ['*::*::*'] }
    expect(await reader.post(`${base}/policies`, everything)).toMatchObject(withoutAction('identity::policies::post'))
    const own = await findIdentity(reader, reader.email)
    const joining = { email: reader.email, groups: [full] }
    expect(await reader.put(`${base}/identities/${own?._id}`, joining)).toMatchObject(
      withoutAction('identity::identities::put'),
    )
    expect(await reader.put(`${base}/accounts/${account}`, { isSuspended: true })).toMatchObject(
      withoutAction('identity::accounts::put'),
    )
    // Called with GET although it changes something.
    expect(await reader.get(`${base}/login/127.0.0.1/3600`)).toMatchObject(
      withoutAction('identity::impersonations::post'),
    )
  })

  test('gains nothing from rights of the group everyone', async () => {
    const reader = await limitedAdmin(['*::*::get'])
    const { pool } = portal.parts.database
    const everyone = (await listed<Group>(admin, 'groups')).find((group) => group.name === 'everyone')
    const writing = await makePolicy(admin, name, { actions: ['*::*::put', '*::*::post'] })
    await admin.put(`${base}/groups/${everyone?._id}`, { name: 'everyone', policies: [writing._id] })
    const path = '/contact-service/v1/configuration/exports'
    expect(await reader.put(path, {})).toMatchObject(withoutAction('contact-service::configuration::put'))
    await pool.query('DELETE FROM portico.group_policies WHERE group_id = $1', [everyone?._id])
  })

  test('remains a power user in the account of their own identity', async () => {
    const reader = await limitedAdmin(['*::*::get'])
    const { pool } = portal.parts.database
    await pool.query(
      `WITH added AS (
         INSERT INTO portico.identities (id, person_id, account_id, accepted_at)
         SELECT gen_random_uuid(), person_id, $2, now() FROM portico.identities WHERE id = $1 RETURNING id)
       INSERT INTO portico.identity_groups (identity_id, group_id) SELECT id, $3 FROM added`,
      [await identityOf(portal, { email: reader.email, account: null }), parent, powerUsers],
    )
    const inside = await enter(reader, parent)
    expect((await inside.get(`${base}/user`)).body).toMatchObject({ isPowerAdmin: false, isPowerUser: true })
    expect(await inside.post(`${base}/identities`, { email, groups: [powerUsers] })).toMatchObject({ status: 201 })
    expect(await inside.post(`${base}/policies`, { name, actions: ['bi::*::get'] })).toMatchObject({ status: 403 })
  })
})

async function enter({ email: who }: Member, where: AccountId): Promise<Client> {
  const token = await portal.signIn(who)
  const entered = await portal.holder(token).get(`${base}/login/${where}`)
  return portal.holder(entered.json<{ token: string }>().token)
}

describe('a power admin with some rights', () => {
  const some = ['*::*::get', '*::*::post', '*::*::put']

  test('can create policies only within their own rights', async () => {
    const limited = await limitedAdmin(some)
    const make = (more: object) => limited.post(`${base}/policies`, { name, ...more })
    expect(await make({ actions: ['*::*::*'] })).toMatchObject(exceeding('gives *::*::*, which you do not hold'))
    expect(await make({ actions: ['contact-service::offers::delete'] })).toMatchObject(exceeding())
    expect(await make({ actions: ['contact-service::offers::get'] })).toMatchObject({ status: 201 })
  })

  test('cannot add rights they lack to any policy or group', async () => {
    const limited = await limitedAdmin(some)
    const path = `${base}/policies/${limited.policy._id}`
    const wider = { ...asPut(limited.policy), actions: [...some, '*::*::delete'] }
    expect(await limited.put(path, wider)).toMatchObject(exceeding('*::*::delete'))
    const administration = (await listed<Policy>(limited, 'policies')).find((each) => each.name === 'Administration')
    // They may not narrow a policy that exceeds their rights either.
    const taken = { ...asPut(administration as Policy), actions: ['bi::*::get'] }
    expect(await limited.put(`${base}/policies/${administration?._id}`, taken)).toMatchObject(exceeding('*::*::*'))
    const joined = { name: limited.group.name, isAdmin: true, policies: [limited.policy._id, administration?._id] }
    expect(await limited.put(`${base}/groups/${limited.group._id}`, joined)).toMatchObject(exceeding('Administration'))
    const together = { name, isAdmin: true, policies: [administration?._id] }
    expect(await limited.post(`${base}/groups`, together)).toMatchObject(exceeding('Administration'))
    expect(await limited.put(path, { ...asPut(limited.policy), name })).toMatchObject({ status: 200 })
  })

  test('can neither remove nor loosen the conditions of their own rights', async () => {
    const conditions = ['query::find::nct::salary', 'body::name::sw::Spring']
    const limited = await limitedAdmin(['*::*::*'], conditions)
    const path = `${base}/policies/${limited.policy._id}`
    const held = { ...asPut(limited.policy), name: 'Spring policy' }
    for (const change of [
      { conditions: [] },
      { conditions: conditions.slice(1) },
      { conditions: conditions.slice(0, 1) },
      { conditionLogic: 'or' },
      { conditions: ['query::find::nct::salary', 'body::name::sw::Spr'] },
    ]) {
      expect(await limited.put(path, { ...held, ...change })).toMatchObject(exceeding('under conditions'))
    }
    const narrower = ['query::find::nct::salary', 'body::name::sw::Spring leads']
    expect(await limited.put(path, { ...held, conditions: narrower })).toMatchObject({ status: 200 })
  })

  test('cannot create, take over or send an invitation to an identity with more rights', async () => {
    const limited = await limitedAdmin(some)
    const path = `${base}/identities`
    expect(await limited.post(path, { email, groups: [full] })).toMatchObject(exceeding('Administration'))
    const own = await findIdentity(limited, limited.email)
    const joining = { email: limited.email, groups: [limited.group._id, full] }
    expect(await limited.put(`${path}/${own?._id}`, joining)).toMatchObject(exceeding('Administration'))
    const other = await portal.powerAdmin()
    const above = await findIdentity(limited, other.email)
    expect(await limited.put(`${path}/${above?._id}`, { email, groups: [full] })).toMatchObject(exceeding())
    const disabling = { email: other.email, groups: [limited.group._id], isDisabled: true }
    expect(await limited.put(`${path}/${above?._id}`, disabling)).toMatchObject(exceeding())
    const pending = await makeIdentity(admin, { email, groups: [full] })
    expect(await limited.post(`${path}/${pending._id}/invitation`)).toMatchObject(exceeding())
    const within = await limited.post(path, { email: `twin-${email}`, groups: [limited.group._id] })
    expect(within).toMatchObject({ status: 201 })
  })

  test('can neither sign out nor delete a person with more rights, through any of their identities', async () => {
    const limited = await limitedAdmin(['*::*::get', '*::*::delete'])
    const other = await portal.powerAdmin()
    const above = await findIdentity(limited, other.email)
    expect(await limited.delete(`${base}/identities/${above?._id}/sessions`)).toMatchObject(exceeding())
    expect(await limited.delete(`${base}/identities/${above?._id}`)).toMatchObject(exceeding())
    const twin = await portal.powerAdmin()
    const { pool } = portal.parts.database
    await pool.query(
      `INSERT INTO portico.identities (id, person_id, account_id, accepted_at)
       SELECT gen_random_uuid(), person_id, $2, now() FROM portico.identities WHERE id = $1`,
      [await identityOf(portal, { email: twin.email, account: null }), limited.account],
    )
    const small = (await listed<Identity>(limited, 'identities')).find(
      (each) => each.email === twin.email && each.aid !== '*',
    )
    expect(await limited.delete(`${base}/identities/${small?._id}/sessions`)).toMatchObject(exceeding())
    expect(await twin.get(`${base}/user`)).toMatchObject({ status: 200 })
  })

  test('can neither add a power user to an account nor resume a suspended account', async () => {
    const limited = await limitedAdmin(some)
    const one = await portal.account()
    const add = (client: Client) => client.post(`${base}/accounts/${one}/power-users`, { email })
    expect(await add(limited)).toMatchObject(exceeding('Full access'))
    const opening = { name: `Opened ${number}`, powerUser: email }
    expect(await limited.post(`${base}/accounts`, opening)).toMatchObject(exceeding('Full access'))
    expect(await limited.post(`${base}/accounts`, { name: opening.name })).toMatchObject({ status: 201 })
    const change = (client: Client, body: object) => client.put(`${base}/accounts/${one}`, body)
    expect(await change(limited, { isSuspended: true })).toMatchObject({ status: 200 })
    expect(await change(limited, { isSuspended: false })).toMatchObject(exceeding())
    expect(await change(limited, { timeZone: 'Asia/Tokyo' })).toMatchObject(exceeding())
    expect(await change(limited, { timeZone: 'UTC', name: `Renamed ${number}` })).toMatchObject({ status: 200 })
    expect(await change(admin, { isSuspended: false })).toMatchObject({ status: 200 })
    expect(await add(admin)).toMatchObject({ status: 201 })
  })

  test('cannot stop an account from requiring two-factor', async () => {
    const limited = await limitedAdmin(some)
    const { pool } = portal.parts.database
    const set = async (client: Member): Promise<Answer> => {
      const preference = { menus: { home: [] }, timeout: 30, requiresTwoFactor: false }
      const body = { AccountID: client.account, IdentityToken: client.token, Preference: JSON.stringify(preference) }
      return client.post('/account/v1/SetAccountPreference', body)
    }
    expect((await set(limited)).body).toEqual({ Result: {} })
    const both = [limited.email, admin.email]
    await pool.query('UPDATE portico.persons SET two_factor_since = now() WHERE email = ANY ($1)', [both])
    await pool.query('UPDATE portico.accounts SET requires_two_factor = true WHERE id = $1', [limited.account])
    expect((await set(limited)).body).toMatchObject({ Result: { ErrorCode: 'ExceedsRights' } })
    expect((await set(admin)).body).toEqual({ Result: {} })
    // Rights are judged when the call gets the lock: here, while another connection turns the requirement on.
    const other = await pool.connect()
    await other.query('BEGIN')
    await other.query('UPDATE portico.accounts SET requires_two_factor = true WHERE id = $1', [limited.account])
    const waiting = set(limited)
    await expect.poll(async () => (await pool.query(waitingForLocks)).rows[0].count, { interval: 20 }).toBe(1)
    await other.query('COMMIT')
    other.release()
    expect((await waiting).body).toMatchObject({ Result: { ErrorCode: 'ExceedsRights' } })
  })
})

test('at least one power admin with all rights always remains', async () => {
  const others = (await listed<Identity>(admin, 'identities')).filter(
    ({ aid, email: who, groups }) => aid === '*' && who !== admin.email && groups.some(({ _id }) => _id === full),
  )
  for (const { _id, email: who } of others) {
    const leaving = { email: who, groups: [(await limitedAdmin(['*::*::get'])).group._id] }
    expect(await admin.put(`${base}/identities/${_id}`, leaving)).toMatchObject({ status: 200 })
  }
  const last = {
    status: 409,
    body: { error: { code: 'in_use', message: expect.stringContaining('holds everything') } },
  }
  const own = await findIdentity(admin, admin.email)
  const small = await limitedAdmin(['*::*::get'])
  const leaving = { email: admin.email, groups: [small.group._id] }
  expect(await admin.put(`${base}/identities/${own?._id}`, leaving)).toMatchObject(last)
  const administration = (await listed<Policy>(admin, 'policies')).find((each) => each.name === 'Administration')
  const fewer = { ...asPut(administration as Policy), actions: ['*::*::get'] }
  expect(await admin.put(`${base}/policies/${administration?._id}`, fewer)).toMatchObject(last)
  const group = { name: 'Administrators', isAdmin: true, policies: [small.policy._id] }
  expect(await admin.put(`${base}/groups/${full}`, group)).toMatchObject(last)
})

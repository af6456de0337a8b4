import type { AccountId } from '@portico/contract/accounts'
import type { PeopleFilters, Person, PersonDetails } from '@portico/contract/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCredential, identityOf, linkOf, reachSubAccounts } from '#test/resources/access.ts'
import {
  createIdentityWithPassword,
  enter,
  findIdentity,
  groupId,
  logOf,
  personIdOf,
} from '#test/kit/administration.ts'
import { exceeding, makeLimitedAdmin } from '#test/kit/limited-admin.ts'
import { type Answer, type Client, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

const people = '/identity/v1/people'

let portal: TestPortal
/** A family of two accounts, and an account of another company. */
let main: AccountId
let sub: AccountId
let foreign: AccountId
let admin: Member
/** Power user of the main account with access to all sub-accounts. */
let powerUser: Member
let stranger: Member

beforeAll(async () => {
  portal = await startPortal()
  main = await portal.account('Main')
  sub = await portal.account('Sub', main)
  foreign = await portal.account('Foreign')
  admin = await portal.powerAdmin()
  powerUser = await portal.member(main)
  stranger = await portal.member(foreign)
  await reachSubAccounts(portal, powerUser)
})
afterAll(() => portal.close())

async function setIdentity(member: Pick<Member, 'email' | 'account'>, set: string): Promise<void> {
  const { pool } = portal.parts.database
  await pool.query(`UPDATE portico.identities SET ${set} WHERE id = $1`, [await identityOf(portal, member)])
}

/** A person with an identity in the sub-account and one in the other company's account. */
async function inBoth(): Promise<Member & { id: string }> {
  const member = await portal.member(sub, 'contact-service::offers::get')
  const { db } = portal.parts.database
  await createIdentityWithPassword(db, { email: member.email, account: foreign, powerUser: false })
  return { ...member, id: await personId(member.email) }
}

const personId = (email: string): Promise<string> => personIdOf(portal, { email })

type Page = { rows: Person[]; count: number }
const listed = async (client: Client, query = ''): Promise<Page> => {
  const answer = await client.get(`${people}?${query}`)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<Page>()
}
const emailsOf = async (client: Client, query = ''): Promise<string[]> =>
  (await listed(client, query)).rows.map(({ email }) => email)
const details = async (client: Client, id: string): Promise<PersonDetails> =>
  (await client.get(`${people}/${id}`)).json<PersonDetails>()

const refused = (code: string) => ({ status: 403, body: { error: { code } } })
const notThere = { status: 404, body: { error: { code: 'not_found' } } }
const inUse = { status: 409, body: { error: { code: 'in_use' } } }

describe('the list of people', () => {
  test('has one row a person, for power admins of all accounts, for a power user of the family only', async () => {
    const person = await inBoth()
    expect(await listed(admin, `search=${person.email}`)).toEqual({
      count: 1,
      rows: [
        {
          _id: person.id,
          email: person.email,
          userName: null,
          accounts: 2,
          isGlobal: false,
          lastSignInAt: expect.any(String),
          hasTwoFactor: false,
          state: 'active',
        },
      ],
    })
    expect(await listed(powerUser, `search=${person.email}`)).toMatchObject({ count: 1, rows: [{ accounts: 1 }] })
    const emails = await emailsOf(powerUser, 'limit=1000')
    expect(emails).toContain(powerUser.email)
    expect(emails).not.toContain(stranger.email)
    expect(emails).not.toContain(admin.email)
    expect(await emailsOf(admin, 'limit=1000')).toEqual(expect.arrayContaining([stranger.email, admin.email]))
    expect(await emailsOf(powerUser, `account=${foreign}`)).toEqual([])
  })

  test('says of someone who has accepted nothing only that they are invited', async () => {
    const invited = await portal.member(foreign)
    await portal.parts.database.pool.query(
      `UPDATE portico.persons SET two_factor_since = now(), user_name = 'Own Name' WHERE email = $1`,
      [invited.email],
    )
    const groups = [await groupId(powerUser, 'Power users')]
    const draft = { email: invited.email, groups, userName: 'Given Name' }
    expect(await powerUser.post('/identity/v1/identities', draft)).toMatchObject({ status: 201 })
    expect((await listed(powerUser, `search=${invited.email}`)).rows).toMatchObject([
      { userName: 'Given Name', hasTwoFactor: null, lastSignInAt: null, state: 'invited' },
    ])
    expect(await details(powerUser, await personId(invited.email))).toMatchObject({ sessions: [], links: [] })
    expect((await listed(admin, `search=${invited.email}`)).rows).toMatchObject([
      { userName: 'Own Name', hasTwoFactor: true },
    ])
  })

  test('is filtered, sorted and paged', async () => {
    const account = await portal.account('Filtered')
    const of = `account=${account}`
    const made = [await portal.member(account), await portal.member(account, '*::*::get'), await portal.member(account)]
    const [first, second, third] = made.toSorted((one, other) => one.email.localeCompare(other.email))
    if (!first || !second || !third) throw new Error('three members were made')
    const { pool } = portal.parts.database
    await pool.query('UPDATE portico.persons SET two_factor_since = now(), user_name = $2 WHERE email = $1', [
      first.email,
      'Zoë Query',
    ])
    await pool.query('UPDATE portico.persons SET last_sign_in_at = NULL WHERE email = $1', [second.email])
    await setIdentity(second, 'last_entered_at = NULL')
    await setIdentity(third, 'is_disabled = true')
    expect(await listed(admin, `${of}&limit=1&skip=1`)).toMatchObject({ count: 3, rows: [{ email: second.email }] })
    expect(await listed(admin, `${of}&limit=1&skip=9`)).toEqual({ count: 3, rows: [] })
    expect(await emailsOf(admin, `${of}&order=desc`)).toEqual([third.email, second.email, first.email])
    expect((await emailsOf(admin, `${of}&sort=userName`))[0]).toBe(first.email)
    expect(await emailsOf(admin, `${of}&search=zoë`)).toEqual([first.email])
    expect(await emailsOf(admin, `${of}&state=disabled`)).toEqual([third.email])
    expect(await emailsOf(admin, `${of}&signIn=never`)).toEqual([second.email])
    expect(await emailsOf(admin, `${of}&twoFactor=off`)).toEqual([second.email, third.email])
    expect(await emailsOf(admin, `${of}&group=${await groupId(admin, 'Power users')}`)).toHaveLength(2)
    const [, domain = ''] = first.email.split('@')
    expect(await emailsOf(admin, `${of}&domain=${domain}`)).toHaveLength(3)
    expect(await emailsOf(admin, `${of}&domain=other.example`)).toEqual([])
    expect(await emailsOf(admin, `${of}&group=none`)).toEqual([])
    expect(await admin.get(`${people}?sort=password`)).toMatchObject({ status: 400 })
  })

  test('offers the accounts, groups and domains of those within reach', async () => {
    const of = async (client: Client) => (await client.get(`${people}/filters`)).json<PeopleFilters>()
    expect((await of(powerUser)).accounts.map(({ Key }) => Key)).toEqual([main, sub])
    expect((await of(admin)).accounts.map(({ Key }) => Key)).toEqual(expect.arrayContaining([main, sub, foreign]))
    expect((await of(powerUser)).groups.map(({ name }) => name)).toContain('Power users')
    expect((await of(powerUser)).domains).not.toHaveLength(0)
  })

  test('is for administrators, not in sub-accounts, and of sub-accounts only with access to them', async () => {
    const plain = await portal.member(main, '*::*::get')
    expect(await plain.get(people)).toMatchObject(refused('not_allowed'))
    const inSub = await portal.member(sub)
    expect(await inSub.get(people)).toMatchObject(refused('not_allowed'))
    const withoutSubs = await portal.member(main)
    const emails = await emailsOf(withoutSubs, 'limit=1000')
    expect(emails).toContain(powerUser.email)
    expect(emails).not.toContain(inSub.email)
    const reader = await makeLimitedAdmin(portal, admin, { actions: ['contact-service::*::*'] })
    expect(await reader.get(people)).toMatchObject(refused('not_allowed'))
  })
})

describe('the page of a person', () => {
  test('shows identities, sessions, credentials and links within reach only', async () => {
    const person = await inBoth()
    await addCredential(portal, await identityOf(portal, person), true)
    await addCredential(portal, await identityOf(portal, { email: person.email, account: foreign }), true)
    await enter(portal, { ...person, token: await portal.signIn(person.email) }, foreign)
    const all = await details(admin, person.id)
    expect(all.identities.map(({ account }) => account?.Key)).toEqual([foreign, sub])
    expect(all.identities.every(({ hasApiAccess, canBeChanged }) => hasApiAccess && canBeChanged)).toBe(true)
    expect(all.sessions.map(({ accounts }) => accounts)).toEqual(expect.arrayContaining([['Foreign'], ['Sub']]))
    const own = await details(powerUser, person.id)
    expect(own.identities.map(({ account }) => account?.Value)).toEqual(['Sub'])
    expect(own.sessions).toMatchObject([{ accounts: ['Sub'], lastSeenAt: null }])
    expect(JSON.stringify(own)).not.toContain('Foreign')
    expect(await powerUser.get(`${people}/${await personId(stranger.email)}`)).toMatchObject(notThere)
    expect(await powerUser.get(`${people}/${await personId(admin.email)}`)).toMatchObject(notThere)
    expect(await admin.get(`${people}/x`)).toMatchObject(notThere)
  })
})

describe('an administrator', () => {
  const act = (client: Client, id: string): Promise<Answer>[] => [
    client.put(`${people}/${id}/state`, { isDisabled: true }),
    client.delete(`${people}/${id}/sessions`),
    client.delete(`${people}/${id}/secrets`),
    client.post(`${people}/${id}/removal`, { identities: [crypto.randomUUID()] }),
  ]

  test('disables and enables someone everywhere within reach, in the audit log of each account', async () => {
    const person = await inBoth()
    const path = `${people}/${person.id}/state`
    expect(await powerUser.put(path, { isDisabled: true })).toMatchObject({ status: 200, body: { changed: 1 } })
    expect((await person.get('/contact-service/v1/offers')).status).toBe(401)
    expect((await listed(admin, `search=${person.email}`)).rows).toMatchObject([{ state: 'partly-disabled' }])
    expect((await findIdentity(stranger, person.email))?.status).toBe('active')
    expect(await admin.put(path, { isDisabled: true })).toMatchObject({ status: 200, body: { changed: 1 } })
    expect((await listed(admin, `search=${person.email}`)).rows).toMatchObject([{ state: 'disabled' }])
    expect(await admin.put(path, { isDisabled: false })).toMatchObject({ status: 200, body: { changed: 2 } })
    const { rows } = await portal.parts.database.pool.query(
      `SELECT account_id, actor, details FROM portico.audit_log
       WHERE subject = $1 AND action = 'identity changed' ORDER BY id`,
      [person.email],
    )
    const change = (isDisabled: boolean) => ({ isDisabled: { old: !isDisabled, new: isDisabled }, inPeople: true })
    expect(rows).toEqual([
      { account_id: sub, actor: powerUser.email, details: change(true) },
      { account_id: foreign, actor: admin.email, details: change(true) },
      expect.objectContaining({ actor: admin.email, details: change(false) }),
      expect.objectContaining({ actor: admin.email, details: change(false) }),
    ])
    expect(await admin.put(path, {})).toMatchObject({ status: 400 })
  })

  test('needs a recent password to enable, not to disable', async () => {
    const person = await inBoth()
    const path = `${people}/${person.id}/state`
    await portal.parts.database.pool.query(
      `UPDATE portico.sessions SET password_given_at = now() - interval '1 hour'
       WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`,
      [powerUser.email],
    )
    expect(await powerUser.put(path, { isDisabled: true })).toMatchObject({ status: 200 })
    expect(await powerUser.put(path, { isDisabled: false })).toMatchObject(refused('password_needed'))
    const password = testPassword
    expect(await powerUser.post('/identity/v1/profile/given-password', { password })).toMatchObject({ status: 204 })
    expect(await powerUser.put(path, { isDisabled: false })).toMatchObject({ status: 200 })
    const program = portal.asking(await addCredential(portal, await identityOf(portal, powerUser), true))
    expect(await program.put(path, { isDisabled: false })).toMatchObject(refused('not_allowed'))
    expect(await program.put(path, { isDisabled: true })).toMatchObject({ status: 200 })
  })

  test('ends sessions and links: a power user those of the family, a power admin all', async () => {
    const person = await inBoth()
    const elsewhere = await enter(portal, { ...person, token: await portal.signIn(person.email) }, foreign)
    expect(await powerUser.delete(`${people}/${person.id}/sessions`)).toMatchObject({ body: { ended: 1 } })
    expect((await person.get('/contact-service/v1/offers')).status).toBe(401)
    expect((await elsewhere.get('/identity/v1/user')).status).toBe(200)
    expect((await details(powerUser, person.id)).sessions).toEqual([])
    expect((await admin.delete(`${people}/${person.id}/sessions`)).status).toBe(200)
    expect((await elsewhere.get('/identity/v1/user')).status).toBe(401)
    const entries = (await logOf(portal, person.email)).filter(({ action }) => action === 'identity signed out')
    expect(entries.map((entry) => entry.details['everywhere'])).toEqual([false, true, true])
  })

  test('revokes credentials and links within reach', async () => {
    const member = await portal.member(main)
    const id = await personId(member.email)
    const link = portal.holder(await linkOf(member))
    const program = portal.asking(await addCredential(portal, await identityOf(portal, member), true))
    expect((await program.get('/contact-service/v1/offers')).status).toBe(200)
    expect(await powerUser.delete(`${people}/${id}/secrets`)).toMatchObject({ body: { credentials: 1, links: 1 } })
    expect((await link.get('/contact-service/v1/offers')).status).toBe(401)
    expect((await program.get('/contact-service/v1/offers')).status).toBe(401)
    expect((await member.get('/contact-service/v1/offers')).status).toBe(200)
    expect((await logOf(portal, member.email)).at(-1)).toMatchObject({
      action: 'secrets revoked',
      details: { credentials: 1, links: 1, inPeople: true },
    })
  })

  test('removes someone from chosen accounts, or from none if one of them is not within reach', async () => {
    const person = await inBoth()
    const path = `${people}/${person.id}/removal`
    const ids = (await details(admin, person.id)).identities.map(({ _id }) => _id)
    expect(await powerUser.post(path, { identities: ids })).toMatchObject({ status: 400 })
    expect((await person.get('/contact-service/v1/offers')).status).toBe(200)
    expect(await powerUser.post(path, { identities: [] })).toMatchObject({ status: 400 })
    const own = (await details(powerUser, person.id)).identities.map(({ _id }) => _id)
    expect(await powerUser.post(path, { identities: own })).toMatchObject({ body: { removed: 1 } })
    expect(await powerUser.get(`${people}/${person.id}`)).toMatchObject(notThere)
    expect((await details(admin, person.id)).identities).toHaveLength(1)
    expect((await logOf(portal, person.email)).at(-1)).toMatchObject({
      action: 'identity deleted',
      details: { inPeople: true },
    })
  })

  test('of another company, or without the status, changes nothing', async () => {
    const member = await portal.member(sub)
    const id = await personId(member.email)
    for (const answer of await Promise.all(act(stranger, id))) expect(answer).toMatchObject(notThere)
    const plain = await portal.member(main, '*::*::put', '*::*::delete')
    for (const answer of await Promise.all(act(plain, id))) expect(answer).toMatchObject(refused('not_allowed'))
    expect((await member.get('/identity/v1/user')).status).toBe(200)
  })

  test('acts on no one who has more than they hold, nor on themselves', async () => {
    const member = await portal.member(sub)
    const id = await personId(member.email)
    const limited = await makeLimitedAdmin(portal, admin, { actions: ['*::*::get', '*::*::put', '*::*::delete'] })
    const [state, sessions, secrets] = await Promise.all(act(limited, id))
    for (const answer of [state, sessions, secrets]) expect(answer).toMatchObject(exceeding())
    const [identity] = (await details(limited, id)).identities
    expect(identity?.canBeChanged).toBe(false)
    expect(await limited.post(`${people}/${id}/removal`, { identities: [identity?._id] })).toMatchObject(exceeding())
    expect((await member.get('/identity/v1/user')).status).toBe(200)
    for (const answer of await Promise.all(act(powerUser, await personId(powerUser.email))))
      expect(answer).toMatchObject(inUse)
  })

  test('leaves global identities and other families alone, whatever the person has beside', async () => {
    const other = await portal.powerAdmin()
    await createIdentityWithPassword(portal.parts.database.db, { email: other.email, account: sub, powerUser: false })
    const id = await personId(other.email)
    expect((await details(powerUser, id)).identities).toHaveLength(1)
    for (const answer of await Promise.all(act(powerUser, id).slice(0, 3))) expect(answer.status).toBe(200)
    expect((await other.get('/identity/v1/policies')).status).toBe(200)
  })

  test('can neither disable nor remove the last power admin', async () => {
    const last = await portal.powerAdmin()
    const { pool } = portal.parts.database
    const asking = await makeLimitedAdmin(portal, admin, { actions: ['*::*::*'] })
    const id = await personId(last.email)
    const [identity] = (await details(asking, id)).identities
    // All others see only some contacts, so they do not hold everything.
    await pool.query(`UPDATE portico.identities SET row_rule = '[]' WHERE account_id IS NULL AND person_id <> $1`, [id])
    expect(await asking.put(`${people}/${id}/state`, { isDisabled: true })).toMatchObject(inUse)
    expect(await asking.post(`${people}/${id}/removal`, { identities: [identity?._id] })).toMatchObject(inUse)
    expect((await last.get('/identity/v1/policies')).status).toBe(200)
  })
})

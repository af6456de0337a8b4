import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enter, makeGroup, makePolicy } from '#test/kit/administration.ts'
import { grant, identityOf, limit, linkOf, program } from '#test/resources/access.ts'
import { exceeding } from '#test/kit/limited-admin.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { restrictedMember, setRowRule } from '#test/resources/row-rules.ts'

// Row rules of identities, and the administrators who may change them.

const offers = '/contact-service/v1/offers'
const bern = [{ $match: { City: 'Bern' } }]
const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
const missing = { status: 404, body: { error: { code: 'not_found' } } }

let portal: TestPortal
let owner: Member
let restricted: Member
/** Id of the contact outside the rule. */
let hidden: string

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  const types = { Name: 'string', City: 'string', Age: 'number' } as const
  const people = [
    { Name: 'Ada', City: 'Bern', Age: 30 },
    { Name: 'Bob', City: 'Bern', Age: 40 },
    { Name: 'Hidden person', City: 'Hidden', Age: 50 },
    { Name: 'Hidden in file', City: 'Lyon', Age: 60 },
  ]
  hidden = (await addContacts(portal.parts.database, owner.account, types, people))[2] ?? ''
  restricted = await restrictedMember(portal, owner.account, bern)
})
afterAll(() => portal.close())

const names = async (client: Client): Promise<string[]> => {
  const { body } = await client.get(`${offers}?select=Name&sort=${json({ Name: 1 })}`)
  return (body as { Name: string }[]).map(({ Name }) => Name)
}

describe('several identities', () => {
  test('combine their rules, and give all contacts if one that grants the action has no rule', async () => {
    const reading = ['contact-service::offers::get']
    const member = await restrictedMember(portal, owner.account, bern, reading)
    const parent = await portal.account()
    const { pool } = portal.parts.database
    await pool.query('UPDATE portico.accounts SET parent_id = $2 WHERE id = $1', [owner.account, parent])
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO portico.identities (id, person_id, account_id, access_to_all_sub_accounts, is_disabled, days, hours, accepted_at)
       SELECT gen_random_uuid(), person_id, $2, true, false, '{}', '{}', now() FROM portico.identities WHERE id = $1
       RETURNING id`,
      [await identityOf(portal, member), parent],
    )
    const second = rows[0]?.id ?? ''
    // It grants nothing that reads contacts, so it lets none through.
    await grant(portal, second, { actions: ['bi::dashboards::get'] })
    expect(await names(member)).toEqual(['Ada', 'Bob'])
    await grant(portal, second, { actions: reading })
    await setRowRule(portal, second, [{ $match: { Age: 50 } }])
    expect(await names(member)).toEqual(['Ada', 'Bob', 'Hidden person'])
    await setRowRule(portal, second, [{ $match: { Age: 40 } }, { $match: { City: 'Hidden' } }])
    expect(await names(member)).toEqual(['Ada', 'Bob'])
    await setRowRule(portal, second, null)
    expect(await names(member)).toContain('Hidden in file')
    // A link with the rights of one of them sees what that one does.
    const chosen = { actions: ['*::*::*'], name: 'Chosen for a link' }
    await grant(portal, await identityOf(portal, member), chosen)
    expect(await names(portal.holder(await linkOf(member)))).toContain('Hidden in file')
    expect(await names(portal.holder(await linkOf(member, { policies: [chosen.name] })))).toEqual(['Ada', 'Bob'])
    // Once disabled, it no longer counts.
    await limit(portal, second, { isDisabled: true })
    expect(await names(member)).toEqual(['Ada', 'Bob'])
    await pool.query('UPDATE portico.accounts SET parent_id = NULL WHERE id = $1', [owner.account])
  })
})

test('API credentials and impersonation links inherit the rule', async () => {
  expect(await names(await program(portal, restricted))).toEqual(['Ada', 'Bob'])
  expect(await names(portal.holder(await linkOf(restricted)))).toEqual(['Ada', 'Bob'])
})

test('a rule that does not match the fields shows nothing and gives the reason', async () => {
  const member = await restrictedMember(portal, owner.account, [{ $match: { Gone: 'x' } }])
  const broken = { status: 403, body: { error: { code: 'row_rule_invalid' } } }
  for (const path of [offers, `${offers}?count=`, `${offers}/${hidden}`, `${offers}/suggestions?text=hidden`]) {
    const answer = await member.get(path)
    expect(answer).toMatchObject(broken)
    expect(JSON.stringify(answer.body)).toContain('Gone')
  }
  expect(await member.delete(offers, { filter: [], deletedRecords: 1 })).toMatchObject(broken)
})

describe('administrators', () => {
  const path = '/identity/v1/identities'
  type Shown = { _id: string; email: string; rowRule: unknown; groups: { _id: string }[] }
  const find = async (email: string): Promise<Shown> => {
    const all = (await owner.get(path)).json<Shown[]>()
    return all.find((each) => each.email === email) as Shown
  }
  const change = (by: Client, { _id, email, groups }: Shown, more: object) =>
    by.put(`${path}/${_id}`, { email, groups: groups.map((group) => group._id), ...more })

  test('set, change and remove a rule, which is audited; clients that omit it keep it', async () => {
    const member = await portal.member(owner.account)
    const identity = await find(member.email)
    expect(identity.rowRule).toBeNull()
    expect(await change(owner, identity, { rowRule: bern })).toMatchObject({ status: 200, body: { rowRule: bern } })
    expect(await names(member)).toEqual(['Ada', 'Bob'])
    expect(await change(owner, identity, { userName: 'Mo' })).toMatchObject({ body: { rowRule: bern } })
    expect(await change(owner, identity, { rowRule: [] })).toMatchObject({ body: { rowRule: null } })
    const log = (await owner.get('/identity/v1/audit?what=identity%20changed')).body
    expect(JSON.stringify(log)).toContain('rowRule')
  })

  test.each([
    [[{ $match: { Gone: 1 } }], '\\"Gone\\"'],
    [[{ $group: { _id: '$City' } }], 'cannot be a rule'],
    [[{ $predefined: 'x' }], 'cannot be a rule'],
    [[{ $match: { $text: { $search: 'x' } } }], 'cannot be a rule'],
  ])('get the reason why %j is refused', async (rowRule, text) => {
    const member = await portal.member(owner.account)
    const answer = await change(owner, await find(member.email), { rowRule })
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.body)).toContain(text)
    expect(JSON.stringify(answer.body)).toContain('rowRule')
  })

  test('with a rule cannot remove it, nor give another identity more', async () => {
    const admin = await portal.member(owner.account)
    await setRowRule(portal, await identityOf(portal, admin), bern)
    const own = await find(admin.email)
    for (const rowRule of [null, [...bern, { $match: { Age: 30 } }]]) {
      expect(await change(admin, own, { rowRule })).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
    }
    const other = await portal.member(owner.account)
    const narrower = [...bern, { $match: { Age: 30 } }]
    expect(await change(admin, await find(other.email), { rowRule: narrower })).toMatchObject({ status: 200 })
    const alsoNarrower = [{ $match: { $and: [{ Age: 30 }, { City: 'Bern' }] } }]
    expect(await change(admin, await find(other.email), { rowRule: alsoNarrower })).toMatchObject({ status: 200 })
    for (const wider of [null, [{ $match: { $or: [{ City: 'Bern' }, { Age: 30 }] } }], [{ $match: { Age: 30 } }]]) {
      expect(await change(admin, await find(other.email), { rowRule: wider })).toMatchObject(exceeding('some contacts'))
    }
    const { groups } = await find(other.email)
    const service = { serviceName: 'Sees all', groups: groups.map(({ _id }) => _id) }
    expect(await admin.post(path, service)).toMatchObject(exceeding('some contacts'))
    expect(await admin.post(path, { ...service, rowRule: bern })).toMatchObject({ status: 201 })
    const all = await owner.post(path, { ...service, serviceName: 'Sees everything' })
    const secret = `${path}/${all.json<Shown>()._id}/addapi/0`
    expect(await admin.put(secret)).toMatchObject(exceeding('some contacts'))
    // Power users may still make changes that give no one more, since they are responsible for the account.
    const renamed = { userName: 'Mo', isDisabled: true }
    expect(await change(admin, await find((await portal.member(owner.account)).email), renamed)).toMatchObject({
      status: 200,
      body: { rowRule: null },
    })
    expect(await admin.delete(`${path}/${all.json<Shown>()._id}`)).toMatchObject({ status: 204 })
  })

  test('of all accounts with a rule cannot add power users, resume accounts or change policies of others', async () => {
    const admin = await portal.powerAdmin()
    await setRowRule(portal, await identityOf(portal, { email: admin.email, account: null }), bern)
    const inAccount = await enter(portal, admin, owner.account)
    const accounts = '/identity/v1/accounts'
    const powerUser = { email: 'another-power-user@example.com' }
    expect(await inAccount.post(`${accounts}/${owner.account}/power-users`, powerUser)).toMatchObject(
      exceeding('some contacts'),
    )
    expect(await inAccount.put(`${accounts}/${owner.account}`, { timeZone: 'Asia/Tokyo' })).toMatchObject(exceeding())
    const policy = await makePolicy(admin, 'Of Bern', { actions: ['bi::*::get'] })
    const group = await makeGroup(admin, 'Of Bern', [policy])
    const wider = { name: policy.name, actions: ['bi::*::*'] }
    expect(await admin.put(`/identity/v1/policies/${policy._id}`, wider)).toMatchObject({ status: 200 })
    const held = { serviceName: 'Holds it', groups: [group._id] }
    const { _id } = (await owner.post(path, { ...held, rowRule: bern })).json<Shown>()
    const widest = { name: policy.name, actions: ['*::*::get', 'bi::*::*'] }
    expect(await admin.put(`/identity/v1/policies/${policy._id}`, widest)).toMatchObject({ status: 200 })
    expect(await owner.put(`${path}/${_id}`, { ...held, rowRule: null })).toMatchObject({ status: 200 })
    const widestOfAll = { name: policy.name, actions: ['*::*::*'] }
    expect(await admin.put(`/identity/v1/policies/${policy._id}`, widestOfAll)).toMatchObject(
      exceeding('some contacts'),
    )
  })

  test('of other accounts cannot see or change a rule', async () => {
    const stranger = await portal.member(await portal.account())
    const identity = await find(restricted.email)
    expect(await change(stranger, identity, { rowRule: null })).toMatchObject(missing)
    expect(JSON.stringify((await stranger.get(path)).body)).not.toContain('Bern')
  })

  test('see the rule in explain', async () => {
    const about = `email=${encodeURIComponent(restricted.email)}&action=contact-service::offers::get`
    expect((await owner.get(`/identity/v1/explain?${about}`)).body).toMatchObject({
      isAllowed: true,
      rows: bern,
      identities: [{ rowRule: bern }],
    })
  })
})

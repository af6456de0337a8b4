import type { Identity } from '@portico/contract/identities'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { program } from '#test/resources/access.ts'
import { groupId, listed, makeGroup, makeIdentity, makePolicy } from '#test/kit/administration.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Access given to a person outlasts the giver's session, so giving it needs a recent password (ADR 0048).

let portal: TestPortal
let admin: Member
let readers: string
beforeAll(async () => {
  portal = await startPortal()
  admin = await portal.powerAdmin()
  readers = (await makeGroup(admin, 'Readers', [await makePolicy(admin, 'Reading')]))._id
})
afterAll(() => portal.close())

const age = (member: Member, minutes: number) =>
  portal.parts.database.pool.query(
    `UPDATE portico.sessions SET password_given_at = now() - make_interval(mins => $2)
     WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`,
    [member.email, minutes],
  )
const needed = { status: 403, body: { error: { code: 'password_needed' } } }
const identities = '/identity/v1/identities'

/** The values of an identity, ready to be saved again. */
async function saved(client: Client, id: string) {
  const all = await listed<Identity>(client, 'identities')
  const found = all.find(({ _id }) => _id === id)
  return { email: found?.email, groups: [readers], version: found?.version }
}

test('every call that grants access or adds rights requires a password entered within 15 minutes', async () => {
  const account = await portal.account()
  const owner = await portal.member(account)
  const { _id } = await makeIdentity(owner, { email: 'first@example.com', groups: [readers] })
  const { _id: off } = await makeIdentity(owner, { email: 'off@example.com', groups: [readers], isDisabled: true })
  const { _id: limited } = await makeIdentity(owner, {
    email: 'limited@example.com',
    groups: [readers],
    days: ['mon'],
    daysEffect: 'in',
  })
  const held = await makePolicy(admin, 'Writing', { actions: ['contact-service::offers::post'] })
  const other = await makePolicy(admin, 'Changing', { actions: ['contact-service::offers::put'] })
  const writers = (await makeGroup(admin, 'Writers', [held]))._id
  const calls: [string, () => ReturnType<Client['post']>][] = [
    ['invite', () => owner.post(identities, { email: 'thief@evil.example', groups: [readers] })],
    ['make for a service', () => owner.post(identities, { serviceName: 'Thief', groups: [readers] })],
    [
      'hand over',
      async () => owner.put(`${identities}/${_id}`, { ...(await saved(owner, _id)), email: 'second@evil.example' }),
    ],
    ['enable', async () => owner.put(`${identities}/${off}`, { ...(await saved(owner, off)), isDisabled: false })],
    [
      'more groups',
      async () => owner.put(`${identities}/${_id}`, { ...(await saved(owner, _id)), groups: [readers, writers] }),
    ],
    [
      'no limits',
      async () =>
        owner.put(`${identities}/${limited}`, { ...(await saved(owner, limited)), days: [], daysEffect: null }),
    ],
    [
      'more in a policy',
      () =>
        admin.put(`/identity/v1/policies/${held._id}`, {
          name: held.name,
          actions: [...held.actions, other.actions[0]],
        }),
    ],
    [
      'more in a group',
      () => admin.put(`/identity/v1/groups/${writers}`, { name: 'Writers', policies: [held._id, other._id] }),
    ],
    ['invite again', () => owner.post(`${identities}/${_id}/invitation`)],
    ['add a power user', () => admin.post(`/identity/v1/accounts/${account}/power-users`, { email: 'a@evil.example' })],
    ['open an account', () => admin.post('/identity/v1/accounts', { name: 'Evil', powerUser: 'a@evil.example' })],
  ]
  await age(owner, 16)
  await age(admin, 16)
  for (const [name, call] of calls) expect({ name, ...(await call()) }).toMatchObject({ name, ...needed })
  // A change that gives no one access does not ask for the password.
  const renamed = { ...(await saved(owner, _id)), userName: 'Ada' }
  expect(await owner.put(`${identities}/${_id}`, renamed)).toMatchObject({ status: 200, body: { userName: 'Ada' } })
  const fewer = await admin.put(`/identity/v1/policies/${held._id}`, {
    name: 'Writing contacts',
    actions: held.actions,
  })
  expect(fewer).toMatchObject({ status: 200 })
  expect(await owner.put(`${identities}/${_id}`, { ...(await saved(owner, _id)), isDisabled: true })).toMatchObject({
    status: 200,
  })
  expect(await portal.parts.database.pool.query(`SELECT FROM portico.persons WHERE email LIKE '%evil%'`)).toMatchObject(
    {
      rowCount: 0,
    },
  )
  await age(owner, 14)
  await age(admin, 14)
  for (const [name, call] of calls.slice(0, -1)) {
    const { status } = await call()
    expect([name, Math.floor(status / 100)]).toEqual([name, 2])
  }
})

test('a call by an API credential requires no password', async () => {
  const owner = await portal.member(await portal.account())
  const own = await program(portal, owner)
  const powerUsers = await groupId(owner, 'Power users')
  const answer = await own.post(identities, { email: 'new@example.com', groups: [powerUsers] })
  expect(answer).not.toMatchObject(needed)
})

import type { AccountEntry } from '@portico/contract/accounts'
import type { User } from '@portico/contract/sign-in'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { farHours, grant, identityOf, limit, linkOf, program } from '#test/resources/access.ts'
import { logOf } from '#test/kit/administration.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let account: number

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account('Impersonated')
})
afterAll(() => portal.close())

const imports = '/contact-service/v1/imports'
const exports = '/contact-service/v1/exports'
const messageOf = (answer: Answer) => answer.json<{ error: { message: string } }>().error.message
const userOf = async (client: Client) => (await client.get('/identity/v1/user')).json<User>()
const idOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { imp: string }).imp

const opened = (token: string, address = '203.0.113.7') => portal.asking({ authorization: `Bearer ${token}` }, address)

/** Creates a link of the member for 203.0.113.7 and opens it there. */
async function link(member: Member, policies?: string[]): Promise<Client> {
  return opened(await linkOf(member, { address: '203.0.113.7', ...(policies && { policies }) }))
}

describe('an impersonation link', () => {
  test('has the rights of its creator, but is no power admin or power user', async () => {
    const maker = await portal.member(account)
    const user = await userOf(await link(maker))
    expect(user).toMatchObject({ email: maker.email, account, isImpersonated: true })
    expect(user).toMatchObject({ isPowerAdmin: false, isPowerUser: false })
    const storing = /^(contact-(dashboards|rdls|access)|scheduler-crons)-(create|update)$/
    const { policies } = await userOf(maker)
    expect(policies.filter((name) => storing.test(name))).toHaveLength(8)
    expect(user.policies).toEqual(policies.filter((name) => !storing.test(name)))
    expect((await (await link(maker)).get(imports)).status).toBe(200)
  })

  test('has a token that names the link, without a session or power', async () => {
    const maker = await portal.powerAdmin()
    const token = await linkOf(maker)
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object
    expect(claims).toMatchObject({ aid: maker.account, pa: false, pu: false, email: maker.email })
    expect(claims).not.toHaveProperty('sid')
    expect(await userOf(opened(token, '::1'))).toMatchObject({ isPowerAdmin: false, isPowerUser: false })
  })

  test('is refused for calls of administrators and calls about the person', async () => {
    const client = await link(await portal.powerAdmin())
    const paths = ['/identity/v1/identities', '/identity/v1/policies', '/identity/v1/accounts/details']
    for (const path of [...paths, '/identity/v1/profile', '/identity/v1/login/203.0.113.7/3600']) {
      expect((await client.get(path)).status).toBe(403)
    }
  })

  test('works only from its own address', async () => {
    const token = await linkOf(await portal.member(account), { address: '203.0.113.7' })
    expect((await opened(token).get(imports)).status).toBe(200)
    expect((await opened(token, '::ffff:203.0.113.7').get(imports)).status).toBe(200)
    const elsewhere = await opened(token, '203.0.113.8').get(imports)
    expect(elsewhere.status).toBe(401)
    expect(messageOf(elsewhere)).toBe('This link does not work from your address, 203.0.113.8.')
  })

  test('for the loopback address works in every spelling of it', async () => {
    const token = await linkOf(await portal.member(account), { address: '::1' })
    for (const address of ['::1', '127.0.0.1', '::ffff:127.0.0.1']) {
      expect((await opened(token, address).get(imports)).status).toBe(200)
    }
    expect((await opened(token, '203.0.113.7').get(imports)).status).toBe(401)
  })

  test('ends when it expires', async () => {
    const token = await linkOf(await portal.member(account), { address: '203.0.113.7', seconds: 60 })
    expect((await opened(token).get(imports)).status).toBe(200)
    await portal.parts.database.pool.query('UPDATE portico.impersonations SET expires_at = now() WHERE id = $1', [
      idOf(token),
    ])
    const ended = await opened(token).get(imports)
    expect(ended.status).toBe(401)
    expect(messageOf(ended)).toBe('This link has expired. Please ask for a new one.')
  })

  test('ends as soon as it is revoked, which only its own account can do', async () => {
    const maker = await portal.member(account)
    const token = await linkOf(maker, { address: '203.0.113.7' })
    const stranger = await portal.member(await portal.account())
    expect((await stranger.delete(`/identity/v1/impersonations/${idOf(token)}`)).status).toBe(404)
    expect((await opened(token).get(imports)).status).toBe(200)
    expect((await maker.delete(`/identity/v1/impersonations/${idOf(token)}`)).status).toBe(204)
    const ended = await opened(token).get(imports)
    expect(ended.status).toBe(401)
    expect(messageOf(ended)).toBe('This link is no longer valid. Please ask for a new one.')
    expect((await maker.delete(`/identity/v1/impersonations/${idOf(token)}`)).status).toBe(404)
    expect((await maker.delete('/identity/v1/impersonations/x')).status).toBe(404)
  })

  test('ends with its own sign-out, and its creator stays signed in', async () => {
    const maker = await portal.member(account)
    const client = await link(maker)
    expect((await client.post('/identity/v1/logout')).status).toBe(204)
    expect((await client.get(imports)).status).toBe(401)
    expect((await maker.get(imports)).status).toBe(200)
  })

  test('can only enter its own account', async () => {
    const other = await portal.account()
    const maker = await portal.powerAdmin()
    const client = await link(maker)
    const [{ Key } = { Key: 0 }, ...more] = (await client.get('/identity/v1/accounts')).json<AccountEntry[]>()
    expect({ Key, more }).toEqual({ Key: maker.account, more: [] })
    expect((await client.get(`/identity/v1/login/${other}`)).status).toBe(404)
    const entered = await client.get(`/identity/v1/login/${maker.account}`)
    const { token, user } = entered.json<{ token: string; user: User }>()
    expect(user).toMatchObject({ isImpersonated: true, isPowerAdmin: false })
    expect((await opened(token).get(imports)).status).toBe(200)
    expect((await opened(token, '203.0.113.8').get(imports)).status).toBe(401)
    const policies = (email: string) =>
      client.get(`/identity/v1/identities/${email}/${maker.account}/*?justPolicies=true`)
    expect((await policies(maker.email)).body).toEqual(user.policies)
    expect((await policies((await portal.member(maker.account)).email)).status).toBe(404)
  })

  test('is audited when it is created, used and revoked', async () => {
    const maker = await portal.member(account)
    const token = await linkOf(maker, { address: '203.0.113.7', policies: ['contact-import-list'] })
    await opened(token).get(imports)
    const { rows } = await portal.parts.database.pool.query(
      "SELECT details, address FROM portico.audit_log WHERE action = 'impersonation created' AND actor = $1",
      [maker.email],
    )
    expect(rows).toMatchObject([
      { address: '127.0.0.1', details: { address: '203.0.113.7', policies: ['contact-import-list'] } },
    ])
    const listed = (await maker.get('/identity/v1/impersonations')).json<{ _id: string; lastUsedAt: string }[]>()
    expect(listed.find(({ _id }) => _id === idOf(token))?.lastUsedAt).toBeTruthy()
    expect(await maker.delete(`/identity/v1/impersonations/${idOf(token)}`)).toMatchObject({ status: 204 })
    expect((await logOf(portal, maker.email)).at(-1)).toMatchObject({
      action: 'impersonation revoked',
      details: { id: idOf(token) },
    })
  })
})

describe('chosen policies and features', () => {
  /** Returns a power user with an additional policy. */
  async function maker(): Promise<Member> {
    const member = await portal.member(await portal.account())
    await grant(portal, await identityOf(portal, member), {
      name: 'Exporting',
      actions: ['contact-service::exports::*'],
    })
    return member
  }

  test('grant a policy by its name', async () => {
    const client = await link(await maker(), ['exporting'])
    expect((await client.get(exports)).status).toBe(200)
    expect((await client.get(imports)).status).toBe(403)
    expect((await userOf(client)).policies).toEqual(['Exporting', 'contact-export-list', 'contact-export-create'])
  })

  test('grant only the action of a feature', async () => {
    const client = await link(await maker(), ['contact-import-list', 'no-workflows'])
    expect((await client.get(imports)).status).toBe(200)
    expect((await client.post(imports, {})).status).toBe(403)
    expect((await client.get(exports)).status).toBe(403)
    expect((await userOf(client)).policies).toEqual(['contact-import-list'])
  })

  test('grant a feature only under the conditions of the creator of the link', async () => {
    const member = await portal.member(account)
    const client = await link(member, ['contact-import-list'])
    await portal.parts.database.pool.query(
      `UPDATE portico.identity_groups SET group_id = '00000000-0000-4000-8000-000000000003' WHERE identity_id = $1`,
      [await identityOf(portal, member)],
    )
    await grant(portal, await identityOf(portal, member), {
      actions: ['contact-service::imports::*'],
      conditions: ['query::limit::eq::1'],
    })
    expect((await client.get(`${imports}?limit=1`)).status).toBe(200)
    expect((await client.get(`${imports}?limit=2`)).status).toBe(403)
  })

  test('are refused if the creator has none of them', async () => {
    const member = await maker()
    await expect(linkOf(member, { policies: ['Something else'] })).rejects.toThrow('Value is not allowed!')
    await expect(linkOf(member, { policies: ['no-workflows'] })).rejects.toThrow('You hold none of these policies')
  })

  test('never exceed the current rights of the creator', async () => {
    const member = await maker()
    const identity = await identityOf(portal, member)
    const [all, chosen] = [await link(member), await link(member, ['Exporting'])]
    const { pool } = portal.parts.database
    await pool.query(
      "DELETE FROM portico.identity_groups ig USING portico.groups g WHERE g.id = ig.group_id AND identity_id = $1 AND g.name <> 'Power users'",
      [identity],
    )
    expect((await chosen.get(exports)).status).toBe(403)
    expect((await userOf(chosen)).policies).toEqual([])
    expect((await all.get(exports)).status).toBe(200)
    await limit(portal, identity, { hours: farHours(), hoursEffect: 'in' })
    expect(await all.get(exports)).toMatchObject({ status: 401, body: { error: { code: 'outside_limits' } } })
    await limit(portal, identity, { cidr: '127.0.0.0/8' })
    expect((await all.get(exports)).status).toBe(401)
    await limit(portal, identity, { isDisabled: true })
    expect((await all.get(exports)).status).toBe(401)
  })
})

describe('impersonation links can be created', () => {
  test('only by power admins and power users who signed in with a password', async () => {
    const path = '/identity/v1/login/203.0.113.7/3600'
    const reader = await portal.member(account, 'contact-service::imports::get')
    expect((await reader.get(path)).status).toBe(403)
    expect((await (await program(portal, await portal.member(account))).get(path)).status).toBe(403)
    expect((await (await link(await portal.member(account))).get(path)).status).toBe(403)
    expect((await (await portal.powerAdmin()).get(path)).status).toBe(200)
  })
})

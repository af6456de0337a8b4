import type { AccountEntry } from '@portico/contract/accounts'
import type { User } from '@portico/contract/sign-in'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCredential, basic, farHours, identityOf, limit, memberWith, program } from '#test/resources/access.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let account: number

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account('Programs')
})
afterAll(() => portal.close())

const imports = '/contact-service/v1/imports'
const messageOf = (answer: Answer) => answer.json<{ error: { message: string } }>().error.message

async function lastUsed(accessKey: string): Promise<Date | null | undefined> {
  const { rows } = await portal.parts.database.pool.query<{ at: Date | null }>(
    'SELECT last_used_at AS at FROM portico.api_credentials WHERE access_key = $1',
    [accessKey],
  )
  return rows[0]?.at
}

/** Returns a program that selects an account. */
async function programIn(member: Member, named: string): Promise<Client> {
  const identity = await identityOf(portal, member)
  const { authorization } = await addCredential(portal, identity)
  return portal.asking({ authorization, 'x-account-id': named })
}

describe('an API credential', () => {
  test('has the rights of its identity, in its account', async () => {
    const member = await memberWith(portal, account, { actions: ['contact-service::imports::get'] })
    const client = await program(portal, member)
    expect((await client.get(imports)).status).toBe(200)
    expect((await client.get('/contact-service/v1/exports')).status).toBe(403)
    const user = (await client.get('/identity/v1/user')).json<User>()
    expect(user).toMatchObject({ email: member.email, account, isPowerUser: false, isImpersonated: false })
    expect((await client.get('/identity/v1/accounts')).json<AccountEntry[]>()).toEqual([
      { Key: account, Value: 'Programs' },
    ])
  })

  test('works without a session, and can neither enter an account nor sign out', async () => {
    const client = await program(portal, await portal.member(account))
    for (const answer of [
      await client.get(`/identity/v1/login/${account}`),
      await client.post('/identity/v1/logout'),
    ]) {
      expect(answer.status).toBe(403)
      expect(messageOf(answer)).toContain('x-account-id')
    }
    expect((await client.get(imports)).status).toBe(200)
  })

  test('makes calls of power users, except profile calls and impersonation links', async () => {
    const client = await program(portal, await portal.member(account))
    expect((await client.get('/identity/v1/identities')).status).toBe(200)
    expect((await client.get('/identity/v1/profile')).status).toBe(403)
    expect((await client.get('/identity/v1/login/127.0.0.1/3600')).status).toBe(403)
  })

  test('is refused with a wrong secret, an unknown key or neither', async () => {
    const { accessKey, secretKey } = await addCredential(portal, await identityOf(portal, await portal.member(account)))
    const wrong = [
      basic(accessKey, `${secretKey}x`),
      basic(accessKey, ''),
      basic('PKnobody', secretKey),
      basic('', ''),
      basic(`${accessKey}\0`, secretKey),
      `Basic ${Buffer.from(accessKey).toString('base64')}`,
    ]
    for (const authorization of wrong) {
      const answer = await portal.asking({ authorization }).get(imports)
      expect(answer.status).toBe(401)
      expect(messageOf(answer)).toBe('The access key or the secret key is wrong.')
    }
  })

  test('may have a colon in its secret, and the scheme Basic in any letter case', async () => {
    const { authorization } = await addCredential(portal, await identityOf(portal, await portal.member(account)))
    const client = portal.asking({ authorization: authorization.replace('Basic', 'bASIC') })
    expect((await client.get(imports)).status).toBe(200)
  })

  test('is refused while it is deactivated and after it was deleted', async () => {
    const { accessKey, authorization } = await addCredential(
      portal,
      await identityOf(portal, await portal.member(account)),
    )
    const client = portal.asking({ authorization })
    const set = (isActive: boolean) =>
      portal.parts.database.pool.query('UPDATE portico.api_credentials SET is_active = $2 WHERE access_key = $1', [
        accessKey,
        isActive,
      ])
    await set(false)
    const answer = await client.get(imports)
    expect(answer.status).toBe(401)
    expect(messageOf(answer)).toBe('This API credential is switched off.')
    await set(true)
    expect((await client.get(imports)).status).toBe(200)
    await portal.parts.database.pool.query('DELETE FROM portico.api_credentials WHERE access_key = $1', [accessKey])
    expect((await client.get(imports)).status).toBe(401)
  })

  test('is bound by the limits of its identity, and ends with it', async () => {
    const member = await portal.member(account)
    const identity = await identityOf(portal, member)
    const { authorization } = await addCredential(portal, identity)
    const at = (address: string) => portal.asking({ authorization }, address).get(imports)
    await limit(portal, identity, { cidr: '10.0.0.0/8' })
    expect((await at('10.1.2.3')).status).toBe(200)
    expect(await at('11.1.2.3')).toMatchObject({ status: 401, body: { error: { code: 'outside_limits' } } })
    await limit(portal, identity, { hours: farHours(), hoursEffect: 'in' })
    expect((await at('10.1.2.3')).status).toBe(401)
    await limit(portal, identity, { isDisabled: true })
    expect(await at('10.1.2.3')).toMatchObject({ status: 401, body: { error: { code: 'not_signed_in' } } })
    await limit(portal, identity, {})
    expect((await at('10.1.2.3')).status).toBe(200)
    await portal.parts.database.pool.query('DELETE FROM portico.persons WHERE email = $1', [member.email])
    expect((await at('10.1.2.3')).status).toBe(401)
  })

  test('has only the rights of its own identity, not of other identities of the person', async () => {
    const parent = await portal.account()
    const child = await portal.account(undefined, parent)
    const member = await memberWith(portal, child, { actions: ['contact-service::exports::get'] })
    await portal.parts.database.pool.query(
      `WITH made AS (
         INSERT INTO portico.identities (id, person_id, account_id, accepted_at)
         SELECT gen_random_uuid(), id, NULL, now() FROM portico.persons WHERE email = $1 RETURNING id)
       INSERT INTO portico.identity_groups SELECT id, '00000000-0000-4000-8000-000000000001' FROM made`,
      [member.email],
    )
    expect((await member.get(imports)).status).toBe(200)
    const client = await program(portal, member)
    expect((await client.get(imports)).status).toBe(403)
    expect((await client.get('/identity/v1/user')).json<User>().isPowerAdmin).toBe(false)
    expect((await client.get('/identity/v1/accounts')).json<AccountEntry[]>().map(({ Key }) => Key)).toEqual([child])
  })

  test('records its last use, at most once a minute', async () => {
    const { accessKey, authorization } = await addCredential(
      portal,
      await identityOf(portal, await portal.member(account)),
    )
    const client = portal.asking({ authorization })
    expect(await lastUsed(accessKey)).toBeNull()
    await client.get(imports)
    const first = await lastUsed(accessKey)
    expect(Date.now() - (first?.getTime() ?? 0)).toBeLessThan(30_000)
    await client.get(imports)
    expect(await lastUsed(accessKey)).toEqual(first)
    await portal.parts.database.pool.query(
      "UPDATE portico.api_credentials SET last_used_at = last_used_at - interval '61 seconds' WHERE access_key = $1",
      [accessKey],
    )
    await client.get(imports)
    expect(await lastUsed(accessKey)).not.toEqual(first)
  })
})

describe('the header x-account-id', () => {
  test('selects a sub-account if the identity has access to all of them', async () => {
    const parent = await portal.account()
    const child = await portal.account('Sub-account of programs', parent)
    const member = await portal.member(parent)
    const client = await programIn(member, String(child))
    const refused = await client.get(imports)
    expect(refused.status).toBe(401)
    expect(messageOf(refused)).toBe(`This API credential gives no access to account ${child}.`)
    await portal.parts.database.pool.query(
      'UPDATE portico.identities SET access_to_all_sub_accounts = true WHERE account_id = $1',
      [parent],
    )
    expect((await client.get('/identity/v1/user')).json<User>()).toMatchObject({ account: child, parent })
  })

  test('selects no other account', async () => {
    const other = await portal.account()
    const client = await programIn(await portal.member(account), String(other))
    expect((await client.get(imports)).status).toBe(401)
    expect((await (await programIn(await portal.member(account), '999999')).get(imports)).status).toBe(401)
    for (const named of ['x', '0', '-1', '1.5']) {
      const answer = await (await programIn(await portal.member(account), named)).get(imports)
      expect(answer.status).toBe(401)
      expect(messageOf(answer)).toBe('The header x-account-id must be the number of an account.')
    }
  })

  test('is required for the credential of a global identity', async () => {
    const { email } = await portal.powerAdmin()
    const { authorization } = await addCredential(portal, await identityOf(portal, { email, account: null }))
    const answer = await portal.asking({ authorization }).get(imports)
    expect(answer.status).toBe(401)
    expect(messageOf(answer)).toBe('Please name the account in the header x-account-id.')
    const client = portal.asking({ authorization, 'x-account-id': String(account) })
    expect((await client.get('/identity/v1/user')).json<User>()).toMatchObject({ account, isPowerAdmin: true })
    expect((await client.get(imports)).status).toBe(200)
  })

  test('is ignored with a token', async () => {
    const member = await portal.member(account)
    const other = await portal.account()
    const headers = { authorization: member.token, 'x-account-id': String(other) }
    expect((await portal.asking(headers).get('/identity/v1/user')).json<User>().account).toBe(account)
  })
})

import { createHash } from 'node:crypto'
import type { ApiCredential, Identity } from '@portico/contract/identities'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { groupId, listed, logOf, makeIdentity } from '#test/kit/administration.ts'
import { type Answer, type Client, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

type Credentials = Pick<Identity, '_id' | 'hasApiAccess' | 'apiCredentials'>

const path = '/identity/v1/identities'
const notThere = { status: 404, body: { error: { code: 'not_found' } } }

let portal: TestPortal
let admin: Member
let powerUser: Member
let stranger: Member
let nobody: Member
let groups: string[]

beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account())
  admin = await portal.powerAdmin()
  stranger = await portal.member(await portal.account())
  nobody = await portal.member(powerUser.account, 'contact-service::imports::get')
  groups = [await groupId(powerUser, 'Power users')]
})
afterAll(() => portal.close())

let lastNumber = 0
const identity = (): Promise<Identity> => makeIdentity(powerUser, { serviceName: `Program ${++lastNumber}`, groups })

async function add(client: Client, id: string): Promise<ApiCredential> {
  const answer = await client.put(`${path}/${id}/addapi/0`)
  expect(answer).toMatchObject({ status: 200 })
  const made = answer.json<Credentials>().apiCredentials.find(({ secretKey }) => secretKey)
  if (!made) throw new Error('no secret')
  return made
}

/** Makes a call, allowed to its identity, with the credential. */
async function use({ accessKey, secretKey }: ApiCredential): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${accessKey}:${secretKey}`).toString('base64')}`
  const url = '/api/contact-service/v1/offers'
  return (await portal.app.inject({ method: 'GET', url, headers: { authorization } })).statusCode
}

async function expire({ accessKey }: ApiCredential): Promise<void> {
  const update = 'UPDATE portico.api_credentials SET expires_at = $2 WHERE access_key = $1'
  await portal.parts.database.pool.query(update, [accessKey, new Date(Date.now() - 1)])
}

describe('a credential', () => {
  test('is created by the server; its secret is shown once and stored as a hash', async () => {
    const { _id } = await identity()
    const made = await add(powerUser, _id)
    expect(made).toMatchObject({ _id: `${_id}-1`, isActive: true, lastUsedAt: null })
    // 256 bits.
    expect(Buffer.from(made.secretKey ?? '', 'base64url')).toHaveLength(32)
    const listedNow = (await listed<Identity>(powerUser, 'identities')).find((one) => one._id === _id)
    expect(listedNow).toMatchObject({ hasApiAccess: true })
    expect(JSON.stringify(listedNow)).not.toContain(made.secretKey)
    const { rows } = await portal.parts.database.pool.query(
      'SELECT * FROM portico.api_credentials WHERE identity_id = $1',
      [_id],
    )
    expect(JSON.stringify(rows)).not.toContain(made.secretKey)
    expect(rows).toMatchObject([
      {
        secret_hash: createHash('sha256')
          .update(made.secretKey ?? '')
          .digest('hex'),
      },
    ])
    expect(await use(made)).toBe(200)
  })

  test('can be switched off and on, and deleted; the identity has API access while one is active', async () => {
    const { _id, email } = await identity()
    const made = await add(powerUser, _id)
    const change = (action: string, credential = '1'): Promise<Answer> =>
      powerUser.put(`${path}/${_id}/${action}/${credential}`)
    expect(await change('inactiveapi')).toMatchObject({
      status: 200,
      body: { _id, hasApiAccess: false, apiCredentials: [{ _id: `${_id}-1`, isActive: false }] },
    })
    expect(await use(made)).toBe(401)
    // The API id works too.
    const again = await change('reactiveapi', `${_id}-1`)
    expect(again).toMatchObject({ status: 200, body: { hasApiAccess: true } })
    expect(JSON.stringify(again.body)).not.toContain('secretKey')
    expect(await use(made)).toBe(200)
    expect((await change('deleteapi')).body).toEqual({ _id, hasApiAccess: false, apiCredentials: [] })
    expect(await use(made)).toBe(401)
    const log = (await logOf(portal, email)).slice(1)
    expect(log.map(({ action }) => action)).toEqual([
      'credential created',
      'credential switched off',
      'credential switched on',
      'credential deleted',
    ])
    expect(log.every(({ details }) => details['accessKey'] === made.accessKey)).toBe(true)
    expect(JSON.stringify(log)).not.toContain(made.secretKey)
  })

  test('requires a password entered within 15 minutes to create', async () => {
    const { _id } = await identity()
    const maker = await portal.member(powerUser.account)
    const { pool } = portal.parts.database
    await pool.query(
      `UPDATE portico.sessions SET password_given_at = now() - interval '16 minutes'
      WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`,
      [maker.email],
    )
    const refused = await maker.put(`${path}/${_id}/addapi/0`)
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'password_needed' } } })
    await add(powerUser, _id)
    expect(await maker.put(`${path}/${_id}/inactiveapi/1`)).toMatchObject({ status: 200 })
    await maker.post('/identity/v1/profile/given-password', { password: testPassword })
    await add(maker, _id)
  })

  test('is limited to five per identity, even with simultaneous requests', async () => {
    const { _id } = await identity()
    const answers = await Promise.all(Array.from({ length: 7 }, () => powerUser.put(`${path}/${_id}/addapi/0`)))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 200, 200, 200, 200, 409, 409,
    ])
    const refused = answers.find(({ status }) => status === 409)
    expect(refused).toMatchObject({ body: { error: { code: 'limit_reached' } } })
    await powerUser.put(`${path}/${_id}/deleteapi/2`)
    expect(await add(powerUser, _id)).toMatchObject({ _id: `${_id}-6` })
  })

  test('that does not exist, or belongs to another identity or account, is not found', async () => {
    const [one, other] = [await identity(), await identity()]
    await add(powerUser, one._id)
    for (const credential of ['2', '0', 'x', `${other._id}-1`, '9999999']) {
      expect(await powerUser.put(`${path}/${one._id}/inactiveapi/${credential}`)).toMatchObject(notThere)
    }
    expect(await powerUser.put(`${path}/${one._id}/addapi/1`)).toMatchObject(notThere)
    expect(await powerUser.put(`${path}/${crypto.randomUUID()}/addapi/0`)).toMatchObject(notThere)
    expect(await stranger.put(`${path}/${one._id}/deleteapi/1`)).toMatchObject(notThere)
    expect(await stranger.put(`${path}/${one._id}/addapi/0`)).toMatchObject(notThere)
    expect(await powerUser.put(`${path}/${one._id}/stealapi/1`)).toMatchObject({ status: 400 })
  })

  test('of an account is managed by its power users, of a global identity by power admins', async () => {
    const { _id } = await identity()
    expect(await admin.put(`${path}/${_id}/addapi/0`)).toMatchObject({ status: 403 })
    expect(await nobody.put(`${path}/${_id}/addapi/0`)).toMatchObject({ status: 403 })
    const own = (await listed<Identity>(admin, 'identities')).find(({ aid }) => aid === '*')
    expect(await add(admin, own?._id ?? '')).toMatchObject({ isActive: true })
    expect(await powerUser.put(`${path}/${own?._id}/addapi/0`)).toMatchObject(notThere)
  })

  test('has a name and an expiry date, shown in the list and the audit log', async () => {
    const { _id, email } = await identity()
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const reply = await powerUser.put(`${path}/${_id}/addapi/0`, { name: '  Nightly sync ', expiresAt })
    const [made] = reply.json<Credentials>().apiCredentials
    if (!made) throw new Error('no credential')
    expect(made).toMatchObject({ name: 'Nightly sync', expiresAt })
    expect(await add(powerUser, _id)).toMatchObject({ name: 'Key 2', expiresAt: null })
    const known = (await listed<Identity>(powerUser, 'identities')).find((one) => one._id === _id)
    expect(known?.apiCredentials).toMatchObject([
      { name: 'Nightly sync', expiresAt, lastUsedAt: null },
      { name: 'Key 2', expiresAt: null },
    ])
    const created = (await logOf(portal, email)).filter(({ action }) => action === 'credential created')
    expect(created.map(({ details }) => [details['name'], details['expiresAt']])).toEqual([
      ['Nightly sync', expiresAt],
      ['Key 2', null],
    ])
  })

  test('does not authenticate after it expires, and only the holder of the secret gets the reason', async () => {
    const { _id } = await identity()
    const made = await add(powerUser, _id)
    expect(await use(made)).toBe(200)
    await expire(made)
    const call = (secret = ''): Promise<Answer> => {
      const basic = Buffer.from(`${made.accessKey}:${secret}`).toString('base64')
      return portal.asking({ authorization: `Basic ${basic}` }).get('/contact-service/v1/offers')
    }
    const message = 'This API credential has expired.'
    expect(await call(made.secretKey)).toMatchObject({ status: 401, body: { error: { message } } })
    expect((await call('wrong')).body).not.toMatchObject({ error: { message } })
  })

  test('does not count as API access after it expires', async () => {
    const { _id } = await identity()
    const made = await add(powerUser, _id)
    await expire(made)
    const shown = async () => (await listed<Identity>(powerUser, 'identities')).find((one) => one._id === _id)
    expect(await shown()).toMatchObject({ hasApiAccess: false, apiCredentials: [{ isActive: true }] })
    const changed = await powerUser.put(`${path}/${_id}/reactiveapi/1`)
    expect(changed).toMatchObject({ status: 200, body: { hasApiAccess: false } })
    await add(powerUser, _id)
    expect(await shown()).toMatchObject({ hasApiAccess: true })
  })

  test('cannot be created with an invalid name or expiry date, or without the right', async () => {
    const { _id } = await identity()
    const url = `${path}/${_id}/addapi/0`
    const past = new Date(Date.now() - 1).toISOString()
    const wrong = [
      { name: ' ' },
      { name: 'x'.repeat(51) },
      { name: 1 },
      { expiresAt: past },
      { expiresAt: 'soon' },
      { expires: past },
    ]
    for (const body of wrong) {
      expect(await powerUser.put(url, body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    }
    expect(await nobody.put(url, { name: 'A' })).toMatchObject({ status: 403 })
    expect(await stranger.put(url, { name: 'A' })).toMatchObject(notThere)
    expect(await powerUser.put(url, { name: 'x'.repeat(50) })).toMatchObject({ status: 200 })
  })

  test('ends with its identity', async () => {
    const { _id } = await identity()
    const made = await add(powerUser, _id)
    await powerUser.delete(`${path}/${_id}`)
    expect(await use(made)).toBe(401)
  })
})

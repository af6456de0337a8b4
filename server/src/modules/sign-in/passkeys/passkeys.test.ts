import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dropTwoFactor } from '#sign-in'
import { addPasskey, askToAdd, askToSignIn, type Authenticator, createAuthenticator } from '#test/kit/authenticator.ts'
import { type Member, startPortal, type TestPortal, testPassword } from '#test/kit/portal.ts'
import { addCredential, createLink } from '#test/resources/access.ts'
import { makeLink } from '../person-links/person-links.service.ts'

let portal: TestPortal
let ada: Member
beforeAll(async () => {
  portal = await startPortal()
  ada = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const path = '/identity/v1/profile/passkeys'
const begin = '/identity/v1/profile/passkey-challenges'
const proof = { password: testPassword }
const operator = { actor: 'command line', via: { kind: 'command-line' as const } }
const query = async (text: string, ...values: unknown[]) =>
  (await portal.parts.database.pool.query<Record<string, unknown>>(text, values)).rows
const auditOf = (of: Member, action: string) =>
  query('SELECT details FROM portico.audit_log WHERE actor = $1 AND action = $2 ORDER BY at DESC', of.email, action)
const emailsOf = async (of: Member) => {
  const rows = await query(
    `SELECT data->>'notice' AS notice FROM jobs.job
      WHERE data->>'personId' = (SELECT id::text FROM portico.persons WHERE email = $1) ORDER BY created_on`,
    of.email,
  )
  return rows.map(({ notice }) => notice)
}
const idOf = (of: Member) => query('SELECT id FROM portico.persons WHERE email = $1', of.email)
const signIn = async (authenticator: Authenticator) =>
  portal.anonymous.post('/identity/v1/passkey-login', authenticator.sign(await askToSignIn(portal.anonymous)))

describe("a person's passkeys", () => {
  test('are added, listed, renamed and removed; the person is notified and the audit log says so', async () => {
    const own = createAuthenticator()
    const asked = await askToAdd(ada)
    expect(asked).toMatchObject({ rpId: 'localhost', excludeCredentials: [], user: { name: ada.email } })
    // The handle tells nothing about the person.
    expect(asked.user?.id).toMatch(/^[\w-]{43}$/)
    const added = await ada.post(path, { name: '  My laptop ', ...own.create(asked, { isSynced: true }) })
    expect(added).toMatchObject({ status: 201, body: { name: 'My laptop', isSynced: true, lastUsedAt: null } })
    const { _id: id } = added.json<{ _id: string }>()

    const next = await askToAdd(ada)
    expect(next).toMatchObject({
      user: { id: asked.user?.id },
      excludeCredentials: [{ id: own.id, type: 'public-key', transports: ['internal'] }],
    })
    expect(await ada.post(path, { name: 'Again', ...own.create(next) })).toMatchObject({
      status: 409,
      body: { error: { code: 'name_taken' } },
    })

    expect((await ada.put(`${path}/${id}`, { name: 'Old laptop' })).body).toMatchObject({ name: 'Old laptop' })
    expect((await ada.get(path)).body).toMatchObject([{ _id: id, name: 'Old laptop', isSynced: true }])
    const session = portal.holder((await signIn(own)).json<{ token: string }>().token)
    expect((await ada.delete(`${path}/${id}`, { password: 'wrong' })).status).toBe(400)
    expect((await ada.delete(`${path}/${id}`, proof)).status).toBe(204)
    expect((await ada.get(path)).body).toEqual([])
    expect((await signIn(own)).status).toBe(401)
    expect((await session.get('/identity/v1/profile')).status).toBe(401)

    expect(await auditOf(ada, 'passkey added')).toEqual([{ details: { name: 'My laptop' } }])
    expect(await auditOf(ada, 'passkey renamed')).toEqual([{ details: { old: 'My laptop', new: 'Old laptop' } }])
    expect(await auditOf(ada, 'passkey removed')).toEqual([{ details: { name: 'Old laptop', endedSessions: 1 } }])
    expect(await emailsOf(ada)).toEqual(['passkey added', 'passkey removed'])
  })

  test('have names of 1 to 64 characters', async () => {
    const body = createAuthenticator().create(await askToAdd(ada))
    for (const name of ['', '   ', 'n'.repeat(65)]) expect((await ada.post(path, { name, ...body })).status).toBe(400)
    expect((await ada.post(path, { name: 'n'.repeat(64), ...body })).status).toBe(201)
  })

  const lies = {
    'from another origin': { origin: 'https://portal.example.net' },
    'for another host': { rpId: 'example.net' },
    'made without verifying anyone': { isVerified: false },
    'for another challenge': { challenge: Buffer.alloc(32).toString('base64url') },
    'that answers another question': { type: 'webauthn.get' },
  }
  test.each(Object.entries(lies))('do not include one %s', async (_name, lie) => {
    const body = createAuthenticator().create(await askToAdd(ada), lie)
    expect(await ada.post(path, { name: 'Laptop', ...body })).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'passkey' }] } },
    })
  })

  test('do not include one for a challenge of another session, of a sign-in, or that was used', async () => {
    const own = createAuthenticator()
    const other = portal.holder(await portal.signIn(ada.email))
    const [toSignIn, elsewhere] = [await askToSignIn(portal.anonymous), await askToAdd(ada)]
    expect((await ada.post(path, { name: 'Laptop', ...own.create(toSignIn) })).status).toBe(400)
    expect((await other.post(path, { name: 'Laptop', ...own.create(elsewhere) })).status).toBe(400)
    const body = own.create(await askToAdd(ada))
    expect((await ada.post(path, { name: 'Laptop', ...body })).status).toBe(201)
    expect((await ada.post(path, { name: 'Laptop', ...body })).status).toBe(400)
  })

  test('are ten at most, also when several are added at once', async () => {
    const berta = await portal.member(ada.account)
    for (let count = 0; count < 9; count++) await addPasskey(berta, createAuthenticator())
    const bodies = [createAuthenticator().create(await askToAdd(berta)), createAuthenticator().create(await askToAdd(berta))]
    const atOnce = await Promise.all(bodies.map((body) => berta.post(path, { name: 'Last', ...body })))
    expect(atOnce.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect(await berta.post(begin, proof)).toMatchObject({ status: 409, body: { error: { code: 'limit_reached' } } })
    expect((await berta.get(path)).json<unknown[]>()).toHaveLength(10)
  })

  test('are not those of other people, nor for links, credentials and strangers', async () => {
    const carl = await portal.member(ada.account)
    const id = await addPasskey(carl, createAuthenticator())
    expect((await ada.put(`${path}/${id}`, { name: 'Mine' })).status).toBe(404)
    expect((await ada.delete(`${path}/${id}`, proof)).status).toBe(404)
    const link = await createLink(carl)
    const credential = await addCredential(carl)
    for (const client of [portal.holder(link), credential, portal.anonymous]) {
      const replies = [
        await client.get(path),
        await client.post(begin, proof),
        await client.post(path, { name: 'Laptop', ...createAuthenticator().create(await askToSignIn(client)) }),
        await client.put(`${path}/${id}`, { name: 'Laptop' }),
        await client.delete(`${path}/${id}`, proof),
      ]
      const expected = client === portal.anonymous ? 401 : 403
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => expected))
    }
    expect((await carl.get(path)).body).toMatchObject([{ _id: id, name: 'Laptop' }])
  })
})

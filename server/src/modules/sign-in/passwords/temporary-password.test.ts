import { createIdentityWithPassword } from '../provisioning/identity-with-password.service.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '#test/stand-ins/authenticator.ts'
import { chooseOwnPassword } from '#test/kit/own-password.ts'
import { startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

const signIn = (email: string, password: string) => portal.anonymous.post('/identity/v1/login', { email, password })
const reset = (link: string, password: string) =>
  portal.anonymous.post('/identity/v1/reset-password', { link, password })

/** A person with a generated password. */
async function addPerson(email: string): Promise<{ email: string; password: string }> {
  const draft = { email, account: await portal.account(), powerUser: true }
  const { password = '' } = await createIdentityWithPassword(portal.parts.database.db, draft)
  return { email, password }
}

async function linkOf({ email, password }: { email: string; password: string }): Promise<string> {
  const refused = await signIn(email, password)
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'password_temporary' } } })
  return refused.json<{ error: { details: { link: string } } }>().error.details.link
}

async function sessionsOf(email: string): Promise<number> {
  const text = `SELECT FROM portico.sessions s JOIN portico.persons p ON p.id = s.person_id WHERE p.email = $1`
  return (await portal.parts.database.pool.query(text, [email])).rows.length
}

describe('a generated password', () => {
  test('starts no session, and can only be used to choose another one', async () => {
    const ada = await addPerson('ada@example.com')
    await linkOf(ada)
    expect(await sessionsOf(ada.email)).toBe(0)
    const chosen = await chooseOwnPassword(portal, ada)
    expect(await signIn(ada.email, ada.password)).toMatchObject({ status: 401 })
    expect(await signIn(ada.email, chosen)).toMatchObject({ status: 200, body: { isTwoFactor: false } })
    expect(await sessionsOf(ada.email)).toBe(1)
  })

  test('is not revealed to callers who do not know it', async () => {
    const { email } = await addPerson('bob@example.com')
    expect(await signIn(email, 'a guess of addPerson')).toMatchObject({
      status: 401,
      body: { error: { code: 'wrong_credentials', message: 'The email or password is wrong.' } },
    })
  })

  test('cannot be kept, and its link works once, until another one is requested', async () => {
    const eve = await addPerson('eve@example.com')
    const [first, second] = [await linkOf(eve), await linkOf(eve)]
    expect(await reset(first, 'chosen by its owner')).toMatchObject({ status: 403 })
    const message = 'Choose a password that differs from your current one.'
    expect(await reset(second, eve.password)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input', details: [{ field: 'password', message }] } },
    })
    expect(await reset(second, 'chosen by its owner')).toMatchObject({ status: 200, body: { email: eve.email } })
    expect(await reset(second, 'chosen by addPerson')).toMatchObject({ status: 403 })
  })

  test('requires a code first if two-factor is on', async () => {
    const dora = await portal.member(await portal.account())
    const path = '/identity/v1/profile/two-factor'
    const { secret } = (await dora.post(path, { password: testPassword })).json<{ secret: string }>()
    expect((await dora.post(`${path}/confirmation`, { code: codeOf(secret) })).status).toBe(200)
    const { pool } = portal.parts.database
    await pool.query('UPDATE portico.persons SET password_is_temporary = true WHERE email = $1', [dora.email])
    const half = await signIn(dora.email, testPassword)
    expect(half).toMatchObject({ status: 200, body: { isTwoFactor: true } })
    const { token } = half.json<{ token: string }>()
    const reply = await portal.anonymous.post('/identity/v1/login', { token, code: codeOf(secret, 1) })
    expect(reply).toMatchObject({ status: 403, body: { error: { code: 'password_temporary' } } })
  })
})

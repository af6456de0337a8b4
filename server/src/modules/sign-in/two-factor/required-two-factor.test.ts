import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TwoFactorOf, requireTwoFactorOf } from '#accounts'
import { accountName, enter, logOf } from '#test/kit/administration.ts'
import { codeOf, wrongCode } from '#test/stand-ins/authenticator.ts'
import { type Client, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let chief: Member
let worker: Member
let admin: Member

beforeAll(async () => {
  portal = await startPortal()
  // Created first, so that it is in an account of its own.
  admin = await portal.powerAdmin()
})
beforeEach(async () => {
  chief = await portal.member(await portal.account())
  worker = await portal.member(chief.account, 'contact-service::imports::get')
})
afterAll(() => portal.close())

const profile = '/identity/v1/profile'
const imports = '/contact-service/v1/imports'
const needed = { status: 403, body: { error: { code: 'two_factor_needed' } } }

async function turnOn(client: Client): Promise<void> {
  const { secret } = (await client.post(`${profile}/two-factor`, { password: testPassword })).json<{ secret: string }>()
  const reply = await client.post(`${profile}/two-factor/confirmation`, { code: codeOf(secret) })
  expect(reply).toMatchObject({ status: 200 })
}

/** Returns the problems that the call reports; none on success. */
async function demand(
  client: Client & { token: string },
  account: number,
  requiresTwoFactor?: boolean,
): Promise<object> {
  const preference = { menus: { home: [] }, timeout: 30, ...(requiresTwoFactor !== undefined && { requiresTwoFactor }) }
  const reply = await client.post('/account/v1/SetAccountPreference', {
    AccountID: account,
    IdentityToken: client.token,
    Preference: JSON.stringify(preference),
  })
  expect(reply.status).toBe(200)
  return reply.json<{ Result: object }>().Result
}

describe('two-factor required by the deployment', () => {
  afterEach(() => requireTwoFactorOf(portal.parts.database.db, 'nobody', operator))
  const operator = { actor: 'command line', address: null, via: { kind: 'command-line' as const } }
  const setScope = (twoFactorOf: TwoFactorOf) => requireTwoFactorOf(portal.parts.database.db, twoFactorOf, operator)

  test('of power admins blocks them everywhere without it, and affects no one else', async () => {
    const lacking = await portal.powerAdmin()
    const half = portal.holder(await portal.signIn(lacking.email))
    await setScope('power-admins')
    expect(await lacking.get('/identity/v1/policies')).toMatchObject(needed)
    expect(await lacking.get(imports)).toMatchObject(needed)
    expect(await half.get(`/identity/v1/login/${chief.account}`)).toMatchObject(needed)
    expect(await chief.get('/identity/v1/identities')).toMatchObject({ status: 200 })
    expect(await worker.get(imports)).toMatchObject({ status: 200 })
    await turnOn(lacking)
    expect(await lacking.get('/identity/v1/policies')).toMatchObject({ status: 200 })
    expect(await lacking.get(`/identity/v1/login/${chief.account}`)).toMatchObject({ status: 200 })
    expect(await half.get(`/identity/v1/login/${chief.account}`)).toMatchObject({ status: 401 })
  })

  test('of everybody applies in every account, and is recorded in the log', async () => {
    await setScope('everybody')
    await setScope('everybody')
    expect(await chief.get('/identity/v1/identities')).toMatchObject(needed)
    await turnOn(worker)
    expect(await worker.get(imports)).toMatchObject({ status: 200 })
    const [entry, ...more] = await logOf(portal, 'everybody')
    expect(more).toEqual([])
    expect(entry).toMatchObject({ action: 'two-factor required', actor: 'command line' })
    expect(entry?.details).toEqual({ old: 'nobody', new: 'everybody' })
  })
})

describe('two-factor required by an account', () => {
  test('blocks every request except two-factor setup until it is set up', async () => {
    await turnOn(chief)
    expect(await demand(chief, chief.account, true)).toEqual({})
    expect(await chief.get('/identity/v1/identities')).toMatchObject({ status: 200 })
    for (const path of [imports, '/identity/v1/user', '/identity/v1/identities', '/contact-service/v1/changes']) {
      expect(await worker.get(path)).toMatchObject(needed)
    }
    const own = `/identity/v1/identities/${worker.email}/${worker.account}/-?justPolicies=true`
    expect(await worker.get(own)).toMatchObject({ status: 404 })
    expect(await worker.get(`/identity/v1/login/${worker.account}`)).toMatchObject(needed)
    const half = portal.holder(await portal.signIn(worker.email))
    expect((await half.get('/identity/v1/accounts')).body).toMatchObject([{ Key: worker.account }])
    expect(await half.get(`/identity/v1/login/${worker.account}`)).toMatchObject(needed)
    expect(await half.get(profile)).toMatchObject({ status: 200 })
    await turnOn(worker)
    expect(await worker.get(imports)).toMatchObject({ status: 200 })
    expect(await worker.get(`/identity/v1/login/${worker.account}`)).toMatchObject({ status: 200 })
    expect(await half.get(`/identity/v1/login/${worker.account}`)).toMatchObject({ status: 401 })
  })

  test('applies in that account only, and to power admins too', async () => {
    await turnOn(chief)
    await demand(chief, chief.account, true)
    const other = await portal.member(await portal.account())
    expect(await other.get(imports)).toMatchObject({ status: 200 })
    expect(await admin.get('/identity/v1/policies')).toMatchObject({ status: 200 })
    expect(await admin.get(`/identity/v1/login/${chief.account}`)).toMatchObject(needed)
    await turnOn(admin)
    expect(await (await enter(portal, admin, chief.account)).get('/identity/v1/policies')).toMatchObject({
      status: 200,
    })
  })

  test('can be required only by members who have it, and is kept by changes that do not name it', async () => {
    const refused = await demand(chief, chief.account, true)
    expect(refused).toMatchObject({
      ErrorCode: 'NoTwoFactor',
      ErrorMessage: 'Turn on two-factor for yourself first, or add a passkey.',
    })
    expect(await worker.get(imports)).toMatchObject({ status: 200 })
    await turnOn(chief)
    await demand(chief, chief.account, true)
    await demand(chief, chief.account)
    expect(await worker.get(imports)).toMatchObject(needed)
    await demand(chief, chief.account, false)
    expect(await worker.get(imports)).toMatchObject({ status: 200 })
    const changes = (await logOf(portal, await accountName(portal, chief.account))).map(({ details }) => details)
    expect(changes).toContainEqual(expect.objectContaining({ requiresTwoFactor: { old: false, new: true } }))
  })

  test('is explained, does not apply to programs, and suspends the links of members without it', async () => {
    const maker = await portal.member(chief.account)
    const made = await maker.get('/identity/v1/login/127.0.0.1/3600')
    const link = portal.holder(made.json<{ token: string }>().token)
    expect(await link.get(imports)).toMatchObject({ status: 200 })
    const list = (await chief.get('/identity/v1/identities')).json<{ _id: string; email: string }[]>()
    const id = list.find(({ email }) => email === maker.email)?._id
    const added = await maker.put(`/identity/v1/profile/credentials/${id}/addapi/0`, {})
    const [key] = added.json<{ apiCredentials: { accessKey: string; secretKey: string }[] }>().apiCredentials
    const basic = Buffer.from(`${key?.accessKey}:${key?.secretKey}`).toString('base64')
    await turnOn(chief)
    await demand(chief, chief.account, true)
    expect(await link.get(imports)).toMatchObject({ status: 401, body: { error: { code: 'not_signed_in' } } })
    expect(await portal.asking({ authorization: `Basic ${basic}` }).get(imports)).toMatchObject({ status: 200 })
    const question = new URLSearchParams({ email: maker.email, action: 'contact-service::imports::get' })
    const { isAllowed, identities } = (await chief.get(`/identity/v1/explain?${question.toString()}`)).json<{
      isAllowed: boolean
      identities: { limits: object[] }[]
    }>()
    expect(isAllowed).toBe(false)
    const rule = 'Two-factor is on, as required here'
    expect(identities[0]?.limits).toContainEqual({ limit: 'twoFactor', rule, isMet: false })
  })
})

describe('turning two-factor on', () => {
  test('ends the sessions and links that never presented a code', async () => {
    const stolen = portal.holder(await portal.signIn(chief.email))
    const linked = portal.holder((await chief.get('/identity/v1/login/127.0.0.1/3600')).json<{ token: string }>().token)
    const { secret } = (await chief.post(`${profile}/two-factor`, { password: testPassword })).json<{
      secret: string
    }>()
    const confirm = (code: string) => chief.post(`${profile}/two-factor/confirmation`, { code })
    const statuses = () =>
      Promise.all([chief.get(profile), stolen.get(profile), linked.get(imports)].map(async (one) => (await one).status))
    expect((await confirm(wrongCode(secret))).status).toBe(400)
    expect(await statuses()).toEqual([200, 200, 200])
    expect((await confirm(codeOf(secret))).status).toBe(200)
    expect(await statuses()).toEqual([200, 401, 401])
  })
})

import type { AccountPreferences } from '@portico/contract/preferences'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountName, enter, logOf } from '#test/kit/administration.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const all = {
  home: [],
  dashboards: [],
  campaigns: [],
  assets: [],
  crm: [],
  marketintel: [],
  contactservice: [],
  settings: [],
}

let portal: TestPortal
let powerUser: Member
let admin: Member
let stranger: Member
let nobody: Member

beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account())
  admin = await portal.powerAdmin()
  stranger = await portal.member(await portal.account())
  nobody = await portal.member(powerUser.account, 'contact-service::imports::get')
})
afterAll(() => portal.close())

type Wanted = { menus?: unknown; timeout?: unknown; fullScreenIsActivity?: unknown }

const set = (client: Client & { token: string }, preference: Wanted | string, more: object = {}) =>
  client.post('/account/v1/SetAccountPreference', {
    AccountID: powerUser.account,
    IdentityToken: client.token,
    Preference: typeof preference === 'string' ? preference : JSON.stringify(preference),
    ...more,
  })

const current = async (client: Client): Promise<AccountPreferences> =>
  (await client.get('/account/v1/AccountPreference')).json<AccountPreferences>()

describe('the preferences of an account', () => {
  test('are set by a power user and apply to everyone in the account', async () => {
    const menus = { ...all, crm: ['ada@example.com', 'bob@example.com'], campaigns: ['-1', 'eve@example.com'] }
    expect(await set(powerUser, { menus, timeout: 90 })).toMatchObject({ status: 200, body: { Result: {} } })
    expect(await current(powerUser)).toEqual({
      menus,
      timeout: 90,
      requiresTwoFactor: false,
      fullScreenIsActivity: false,
      version: 2,
    })
    const user = await nobody.get('/identity/v1/user')
    expect(user).toMatchObject({ body: { preferences: { menus, timeout: 90 } } })
    expect((await logOf(portal, await accountName(portal, powerUser.account))).at(-1)).toMatchObject({
      actor: powerUser.email,
      action: 'preferences changed',
      details: { timeout: { old: 30, new: 90 } },
    })
    expect((await current(stranger)).timeout).toBe(30)
  })

  test('can let full-screen dashboards keep users signed in', async () => {
    const isActivity = async (): Promise<unknown> =>
      (await nobody.get('/identity/v1/user')).json<{ preferences: AccountPreferences }>().preferences
        .fullScreenIsActivity
    expect(await set(powerUser, { menus: all, timeout: 30, fullScreenIsActivity: 'yes' })).toMatchObject({
      body: { Result: { ErrorCode: 'InvalidPreference' } },
    })
    expect(await isActivity()).toBeUndefined()
    await set(powerUser, { menus: all, timeout: 30, fullScreenIsActivity: true })
    expect(await isActivity()).toBe(true)
    await set(powerUser, { menus: all, timeout: 30 })
    expect(await isActivity()).toBe(true)
    await set(powerUser, { menus: all, timeout: 30, fullScreenIsActivity: false })
    expect(await isActivity()).toBeUndefined()
  })

  test('can also be set by a power admin, with menus turned off', async () => {
    expect(await set(admin, { menus: { home: [], settings: [] }, timeout: 180 })).toMatchObject({
      body: { Result: {} },
    })
    expect(await current(admin)).toMatchObject({ menus: { home: [], settings: [] }, timeout: 180 })
  })

  test('cannot be read or set by other callers', async () => {
    expect(await set(nobody, { menus: all, timeout: 60 })).toMatchObject({ status: 403 })
    expect(await nobody.get('/account/v1/AccountPreference')).toMatchObject({ status: 403 })
    expect(await portal.anonymous.get('/account/v1/AccountPreference')).toMatchObject({ status: 401 })
  })

  test.each<[Wanted | string, string, string]>([
    [{ menus: { ...all, crm: ['ada'] }, timeout: 30 }, 'Invalid email or format given', 'menus.crm.0'],
    [{ menus: { ...all, crm: [' a@example.com'] }, timeout: 30 }, 'Invalid email or format given', 'menus.crm.0'],
    [{ menus: { ...all, crm: ['a@example.com', '-1'] }, timeout: 30 }, 'Invalid email or format given', 'menus.crm.1'],
    [
      { menus: { ...all, assets: ['a@example.com', 'A@example.com'] }, timeout: 30 },
      'Duplicate value detected',
      'menus.assets.1',
    ],
    [{ menus: { crm: [] }, timeout: 30 }, 'The Home menu cannot be turned off', 'menus.home'],
    [{ menus: { ...all, home: ['a@example.com'] }, timeout: 30 }, 'The Home menu cannot be turned off', 'menus.home'],
    [
      { menus: { ...all, home: ['-1', 'a@example.com'] }, timeout: 30 },
      'The Home menu cannot be turned off',
      'menus.home',
    ],
    [{ menus: { ...all, kitchen: [] }, timeout: 30 }, 'This field is not known.', 'kitchen'],
    [{ menus: all, timeout: 45 }, 'Value is invalid!', 'timeout'],
    [{ menus: all }, 'Value is invalid!', 'timeout'],
    [{ menus: all, timeout: 30, colour: 'red' } as Wanted, 'This field is not known.', 'colour'],
  ])('%j is refused in the result', async (preference, message, field) => {
    const before = await current(powerUser)
    const answer = await set(powerUser, preference)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        Result: {
          ErrorCode: 'InvalidPreference',
          ErrorMessage: message,
          ExceptionMessage: expect.stringContaining(field),
        },
      },
    })
    expect(await current(powerUser)).toEqual(before)
  })

  test('must be valid JSON', async () => {
    expect(await set(powerUser, '{')).toMatchObject({
      status: 200,
      body: { Result: { ErrorCode: 'InvalidPreference' } },
    })
  })

  test('can be set only with the account and a token of the calling session', async () => {
    const wanted = { menus: all, timeout: 60 }
    const result = (ErrorCode: string) => ({ status: 200, body: { Result: { ErrorCode } } })
    expect(await set(powerUser, wanted, { AccountID: stranger.account })).toMatchObject(result('WrongAccount'))
    for (const IdentityToken of [admin.token, stranger.token, 'x', '', await portal.signIn(powerUser.email)]) {
      expect(await set(powerUser, wanted, { IdentityToken })).toMatchObject(result('WrongToken'))
    }
    // Another token of the same session is accepted.
    const again = await portal.holder(powerUser.token).get(`/identity/v1/login/${powerUser.account}`)
    const { token } = again.json<{ token: string }>()
    expect((await set(powerUser, wanted, { IdentityToken: token })).body).toEqual({ Result: {} })
    expect((await current(await enter(portal, admin, stranger.account))).timeout).toBe(30)
  })
})

import { beforeEach, expect, test } from 'vitest'
import { answer, aUser, beSignedOut, refusal, serveApi } from '#test/server.ts'
import { queryClient } from '#lib/api/query-client.ts'
import { followOtherTabs } from './session-again.ts'
import { enterAccount, restoreSession, signIn, signInWithCode, signOut } from './session.ts'
import { changeSettings } from '#lib/settings.ts'
import { currentSession, endSession, keptSession, setSession } from './session-store.ts'

const acme = { Key: 1, Value: 'Acme' }
const zenith = { Key: 2, Value: 'zenith' }
const preferences = aUser().preferences
const entered = (account: number) => answer({ token: `in-${account}`, user: aUser({ account }), preferences })
const loggedIn = (...accounts: unknown[]) =>
  answer({ isTwoFactor: false, token: 'half', user: aUser({ account: null }), accounts })

beforeEach(() => {
  beSignedOut()
  queryClient.clear()
})

test('with more than one account, signing in leads to the choice of accounts sorted by name', async () => {
  serveApi({ 'POST /identity/v1/login': loggedIn(zenith, acme) })
  await signIn(' mara.klein@example.com ', 'secret')
  expect(currentSession()).toEqual({ state: 'half', email: 'mara.klein@example.com' })
  expect(queryClient.getQueryData(['accounts'])).toEqual([acme, zenith])
})

test('a single account is entered at once, with the token of the sign-in', async () => {
  const sent = serveApi({ 'POST /identity/v1/login': loggedIn(acme), 'GET /identity/v1/login/1': entered(1) })
  await signIn('mara.klein@example.com', 'secret')
  expect(currentSession()).toMatchObject({ state: 'in', account: 1 })
  expect(sent[1]?.headers['authorization']).toBe('Bearer half')
  expect(keptSession()?.token).toBe('in-1')
})

test('a single account that cannot be entered ends the sign-in', async () => {
  serveApi({
    'POST /identity/v1/login': loggedIn(acme),
    'GET /identity/v1/login/1': refusal(401, 'not_signed_in', 'You may sign in on weekdays only.'),
  })
  await expect(signIn('mara.klein@example.com', 'secret')).rejects.toThrow('You may sign in on weekdays only.')
  expect(currentSession()).toMatchObject({ state: 'out', notice: null })
  expect(keptSession()).toBeNull()
})

test('an account that requires two-factor keeps the sign-in, and is entered after the setup', async () => {
  let hasTwoFactor = false
  serveApi({
    'POST /identity/v1/login': loggedIn(acme),
    'GET /identity/v1/login/1': () => (hasTwoFactor ? entered(1) : refusal(403, 'two_factor_needed')),
    'GET /identity/v1/accounts': answer([acme]),
  })
  await signIn('mara.klein@example.com', 'secret')
  expect(currentSession()).toMatchObject({ state: 'refused', account: 1, needs: 'two-factor' })
  expect(keptSession()?.token).toBe('half')
  hasTwoFactor = true
  await restoreSession()
  expect(currentSession()).toMatchObject({ state: 'in', account: 1 })
})

test('with two-factor, the token of the first step and a code complete the sign-in', async () => {
  const sent = serveApi({
    'POST /identity/v1/login': ({ body }) =>
      'code' in (body as object) ? loggedIn(acme) : answer({ isTwoFactor: true, token: 'step' }),
    'GET /identity/v1/login/1': entered(1),
  })
  expect(await signIn('mara.klein@example.com', 'secret')).toBe('step')
  expect(currentSession().state).toBe('out')
  await signInWithCode('step', '123456')
  expect(sent[1]?.body).toEqual({ token: 'step', code: '123456' })
  expect(currentSession()).toMatchObject({ state: 'in', account: 1 })
})

test('signing in without an account fails with a message', async () => {
  const message = 'No dashboard account is associated with the user'
  serveApi({ 'POST /identity/v1/login': refusal(403, 'no_account', message) })
  await expect(signIn('a@example.com', 'b')).rejects.toThrow(message)
  expect(currentSession().state).toBe('out')
})

test('with only invitations there is no account to enter yet', async () => {
  serveApi({ 'POST /identity/v1/login': loggedIn() })
  await signIn('mara.klein@example.com', 'secret')
  expect(currentSession().state).toBe('half')
})

test('losing access to an account signs out this tab only; any other end of the session signs out all tabs', () => {
  setSession({ state: 'in', user: aUser(), account: 1 }, { token: 't', email: aUser().email, account: 1 })
  endSession('t', 'You were signed out of this account.', 'account lost')
  expect(currentSession()).toMatchObject({ state: 'out', keepsPlace: true })
  expect(localStorage.getItem('portico.signIn')).not.toBeNull()
  setSession({ state: 'in', user: aUser(), account: 1 }, { token: 'u', email: aUser().email, account: 1 })
  endSession('u', 'Your session has ended.')
  expect(localStorage.getItem('portico.signIn')).toBeNull()
})

test('entering an account clears the data of the previous one and keeps data that is not of an account', async () => {
  serveApi({ 'GET /identity/v1/login/2': entered(2) })
  setSession(currentSession(), { token: 'in-1', email: 'Mara.Klein@example.com', account: 1 })
  queryClient.setQueryData(['contacts', 'page', {}], ['of account 1'])
  queryClient.setQueryData(['accounts'], [acme, zenith])
  queryClient.setQueryData(['password reset', 'link'], { email: 'ada@example.com', userName: null })
  await enterAccount(2)
  expect(queryClient.getQueryData(['contacts', 'page', {}])).toBeUndefined()
  expect(queryClient.getQueryData(['accounts'])).toEqual([acme, zenith])
  expect(queryClient.getQueryData(['password reset', 'link'])).toBeDefined()
})

test.each([['signing out'], ['an end by the server'], ['a sign-out in another tab']])(
  'no personal data stays in the browser after %s',
  async (how) => {
    serveApi({ 'POST /identity/v1/logout': answer(null, 204) })
    setSession(currentSession(), { token: 'in-1', email: 'mara.klein@example.com', account: 1 })
    localStorage.setItem('portico.columns', '{"mara.klein@example.com in 1":["City"]}')
    localStorage.setItem('portico.notifications', '{"mara.klein@example.com 1":{"until":"","ids":[]}}')
    localStorage.setItem('portico.lastActivity', '1')
    localStorage.setItem('portico.dashboard.1', '7')
    localStorage.setItem('portico.colorScheme', 'dark')
    localStorage.setItem('of another program', 'x')
    sessionStorage.setItem('interaction-1', '{}')
    changeSettings({ lastPageViewed: '/iam/groups', areTablesDensed: false })
    if (how === 'signing out') await signOut()
    else if (how === 'an end by the server') endSession('in-1', 'Your session has ended.')
    else endSession('in-1', 'You signed out in another tab.', 'followed')
    expect(currentSession().state).toBe('out')
    expect(sessionStorage).toHaveLength(0)
    expect(Object.keys(localStorage).toSorted((one, other) => one.localeCompare(other))).toEqual([
      'of another program',
      'portico.colorScheme',
      'portico.settings',
    ])
    expect(JSON.parse(localStorage.getItem('portico.settings') ?? '')).toMatchObject({
      lastPageViewed: '/iam/policies',
      areTablesDensed: false,
    })
    localStorage.clear()
  },
)

test('the end of an impersonation link does not affect the sign-in of other tabs', () => {
  setSession(currentSession(), { token: 'in-1', email: 'mara.klein@example.com', account: 1 })
  const shared = localStorage.getItem('portico.signIn')
  setSession(currentSession(), { token: 'link', email: '', account: 1, isImpersonated: true })
  endSession('link', null)
  expect(sessionStorage).toHaveLength(0)
  expect(localStorage.getItem('portico.signIn')).toBe(shared)
})

test('a reload returns to the account of the tab', async () => {
  serveApi({ 'GET /identity/v1/login/2': entered(2) })
  setSession({ state: 'restoring' }, { token: 'in-2', email: 'mara.klein@example.com', account: 2 })
  await restoreSession()
  expect(currentSession()).toMatchObject({ state: 'in', account: 2 })
})

test('a missing account leads to the choice of accounts, a lost connection to a retry', async () => {
  serveApi({ 'GET /identity/v1/login/2': refusal(404, 'not_found') })
  setSession({ state: 'restoring' }, { token: 'in-2', email: 'mara.klein@example.com', account: 2 })
  await restoreSession()
  expect(currentSession()).toEqual({ state: 'half', email: 'mara.klein@example.com' })

  serveApi({ 'GET /identity/v1/login/2': refusal(503, 'unavailable', 'Not right now.') })
  setSession({ state: 'restoring' }, { token: 'in-2', email: 'mara.klein@example.com', account: 2 })
  await restoreSession()
  expect(currentSession()).toEqual({ state: 'unreachable', message: 'Not right now.' })
  expect(keptSession()?.token).toBe('in-2')
})

test('signing out sends the token to the server, and clears it here even if the call fails', async () => {
  const sent = serveApi({ 'POST /identity/v1/logout': refusal(500, 'unexpected') })
  setSession(currentSession(), { token: 'in-1', email: 'mara.klein@example.com', account: 1 })
  await signOut()
  expect(sent[0]).toMatchObject({ call: 'POST /identity/v1/logout', headers: { authorization: 'Bearer in-1' } })
  expect(currentSession()).toEqual({ state: 'out', notice: null, keepsPlace: false })
  expect(localStorage.getItem('portico.signIn')).toBeNull()
  expect(sessionStorage.getItem('portico.tab')).toBeNull()
})

test('a tab signs out when its person signs out in another tab, but not when another person does', () => {
  const stop = followOtherTabs()
  setSession(currentSession(), { token: 't', email: 'mara.klein@example.com', account: 1 })
  const signedOut = (email: string): void => {
    const oldValue = JSON.stringify({ token: 'x', email, account: 1, isLeft: true })
    window.dispatchEvent(new StorageEvent('storage', { key: 'portico.signIn', oldValue, newValue: null }))
  }
  signedOut('other@example.com')
  expect(keptSession()).not.toBeNull()
  signedOut('mara.klein@example.com')
  expect(currentSession()).toMatchObject({ state: 'out', notice: 'You signed out in another tab.' })
  stop()
})

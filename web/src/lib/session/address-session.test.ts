import { beforeEach, expect, test } from 'vitest'
import { answer, aUser, beSignedOut, refusal, serveApi } from '#test/server.ts'
import { addressAccount, setAddressAccount } from './address-account.ts'
import { takeImpersonationLink } from './impersonation-link.ts'
import { queryClient } from '#lib/api/query-client.ts'
import { chooseOtherAccount, enterAccount, followAddress, SupersededError, restoreSession, signIn } from './session.ts'
import { currentSession, keptSession, setSession } from './session-store.ts'

const email = 'mara.klein@example.com'
const entered = (account: number) =>
  answer({ token: `in-${account}`, user: aUser({ account }), preferences: aUser().preferences })
const accounts = answer([
  { Key: 1, Value: 'Acme' },
  { Key: 2, Value: 'Zenith' },
])
const show = (address: string): void => window.history.replaceState(null, '', address)

beforeEach(() => {
  beSignedOut()
  queryClient.clear()
  show('/')
})

test('a new tab enters the account of its address, not that of the last sign-in', async () => {
  const sent = serveApi({ 'GET /identity/v1/accounts': accounts, 'GET /identity/v1/login/2': entered(2) })
  setAddressAccount(2)
  setSession({ state: 'restoring' }, { token: 'in-1', email, account: 1 })
  await restoreSession()
  expect(currentSession()).toMatchObject({ state: 'in', account: 2 })
  expect(sent.map(({ call }) => call)).not.toContain('GET /identity/v1/login/1')
})

test('an address without an account gets the account of the tab', async () => {
  serveApi({ 'GET /identity/v1/accounts': accounts, 'GET /identity/v1/login/1': entered(1) })
  show('/home?page=2#row')
  setSession({ state: 'restoring' }, { token: 'in-1', email, account: 1 })
  await restoreSession()
  expect(window.location.href).toMatch(/\/home\?page=2&account=1#row$/)
})

test('an account of the address that may not be entered is reported; the user stays signed in and can choose', async () => {
  serveApi({ 'GET /identity/v1/accounts': accounts, 'GET /identity/v1/login/9': refusal(404, 'not_found') })
  setAddressAccount(9)
  setSession({ state: 'restoring' }, { token: 'in-1', email, account: 1 })
  await restoreSession()
  expect(currentSession()).toEqual({ state: 'refused', email, account: 9 })
  chooseOtherAccount()
  expect(currentSession()).toEqual({ state: 'half', email })
  expect(addressAccount()).toBeNull()
  expect(keptSession()?.token).toBe('in-1')
})

test('signing in through a link enters its account; an account of others leads to the choice', async () => {
  const reply = answer({
    isTwoFactor: false,
    token: 'half',
    user: aUser({ account: null }),
    accounts: accounts.body,
  })
  serveApi({ 'POST /identity/v1/login': reply, 'GET /identity/v1/login/2': entered(2) })
  setAddressAccount(2)
  await signIn(email, 'secret')
  expect(currentSession()).toMatchObject({ state: 'in', account: 2 })
  setAddressAccount(9)
  await signIn(email, 'secret')
  expect(currentSession()).toMatchObject({ state: 'half' })
})

test('going back to an address of another account enters that one', async () => {
  serveApi({ 'GET /identity/v1/accounts': accounts, 'GET /identity/v1/login/2': entered(2) })
  setSession({ state: 'in', user: aUser(), account: 1 }, { token: 'in-1', email, account: 1 })
  followAddress(2)
  expect(currentSession().state).toBe('restoring')
  await expect.poll(() => currentSession()).toMatchObject({ state: 'in', account: 2 })
})

test('of two accounts entered in a row the last one wins', async () => {
  serveApi({ 'GET /identity/v1/login/1': entered(1), 'GET /identity/v1/login/2': entered(2) })
  setSession({ state: 'half', email }, { token: 'half', email, account: null })
  const first = enterAccount(1).catch((error: unknown) => error)
  await enterAccount(2)
  expect(await first).toBeInstanceOf(SupersededError)
  expect(currentSession()).toMatchObject({ state: 'in', account: 2 })
})

test('an impersonation link stores its token in this tab only, and removes it from the address', async () => {
  show('/contact-service/exports?status=completed#token=secret-of-the-link&aid=2')
  expect(takeImpersonationLink()).toEqual({ token: 'secret-of-the-link', account: 2 })
  expect(window.location.href).toMatch(/\/contact-service\/exports\?status=completed&account=2$/)

  // Links from earlier releases have the token in the query.
  show('/contact-service/exports?token=secret-of-the-link&aid=2&status=completed')
  expect(takeImpersonationLink()).toEqual({ token: 'secret-of-the-link', account: 2 })
  expect(window.location.search).toBe('?status=completed&account=2')

  const sent = serveApi({ 'GET /identity/v1/user': answer(aUser({ account: 2, isImpersonated: true })) })
  setSession({ state: 'restoring' }, { token: 'secret-of-the-link', email: '', account: 2, isImpersonated: true })
  await restoreSession()
  expect(currentSession()).toMatchObject({ state: 'in', account: 2, user: { isImpersonated: true } })
  expect(sent.map(({ call }) => call)).toEqual(['GET /identity/v1/user'])
  expect(sessionStorage.getItem('portico.tab')).toContain('secret-of-the-link')
  expect(JSON.stringify(localStorage)).not.toContain('secret-of-the-link')
})

test('an incomplete link is ignored', () => {
  show('/register?token=abc')
  expect(takeImpersonationLink()).toBeNull()
  expect(window.location.search).toBe('?token=abc')
})

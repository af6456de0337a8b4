import { act } from '@testing-library/react'
import { contactsApi } from '@portico/contract/contacts'
import { useEffect } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { useTypedInput } from '#ui/form/typed-input.ts'
import { renderApp } from '#test/render.tsx'
import { answer, aUser, beSignedIn, beSignedOut, refusal, serveApi } from '#test/server.ts'
import { call } from '#lib/api/api.ts'
import { queryClient } from '#lib/api/query-client.ts'
import { followOtherTabs, leaveLocked, signInAgain, signInAgainWithCode } from './session-again.ts'
import { signOut } from './session.ts'
import { currentSession, keptSession, setSession } from './session-store.ts'

const ended = refusal(401, 'not_signed_in', 'You were signed out after 12 hours. Please sign in again.')
const mara = aUser()
const loggedIn = answer({ isTwoFactor: false, token: 'half', user: mara, accounts: [] })
const entered = answer({ token: 'token-2', user: mara, preferences: mara.preferences })

function Form() {
  useTypedInput(true)
  useEffect(followOtherTabs, [])
  return null
}

const keptBy = (email: string, more: object = {}): string =>
  JSON.stringify({ token: 'other', email, account: 1, ...more })

function tabsChange(oldValue: string | null, newValue: string | null): void {
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'portico.signIn', oldValue, newValue })))
}

beforeEach(() => {
  beSignedOut()
  beSignedIn()
})

test('losing the session with unsaved input locks the page and shows the reason', async () => {
  serveApi({ 'GET /contact-service/v1/fields': ended })
  renderApp(<Form />)
  const asked = new AbortController()
  const waiting = call(contactsApi.listFields, {}, { signal: asked.signal })
  await expect.poll(() => currentSession().state).toBe('locked')
  expect(currentSession()).toMatchObject({ notice: 'You were signed out after 12 hours. Please sign in again.' })
  expect(keptSession()).toBeNull()
  expect(localStorage.getItem('portico.signIn')).toBeNull()
  expect(sessionStorage.getItem('portico.tab')).toBeNull()
  asked.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
})

test('when the same person signs in again, the page continues and refused calls are repeated', async () => {
  let isOver = true
  const sent = serveApi({
    'GET /contact-service/v1/fields': () => (isOver ? ended : answer([])),
    'POST /identity/v1/login': loggedIn,
    'GET /identity/v1/login/1': entered,
  })
  renderApp(<Form />)
  const waiting = call(contactsApi.listFields, {})
  await expect.poll(() => currentSession().state).toBe('locked')
  // Calls made in the meantime wait too, and are not refused.
  const later = call(contactsApi.listFields, {})
  isOver = false
  expect(await signInAgain('secret')).toBeNull()
  expect(await Promise.all([waiting, later])).toEqual([[], []])
  expect(currentSession()).toMatchObject({ state: 'in', account: 1 })
  expect(sent.map(({ call: made }) => made)).toEqual([
    'GET /contact-service/v1/fields',
    'POST /identity/v1/login',
    'GET /identity/v1/login/1',
    'GET /contact-service/v1/fields',
    'GET /contact-service/v1/fields',
  ])
  expect(sent[1]?.body).toEqual({ email: mara.email, password: 'secret' })
  expect(sent[2]?.headers['authorization']).toBe('Bearer half')
  expect(sent[3]?.headers['authorization']).toBe('Bearer token-2')
})

test('two-factor requires a code, and a wrong one leaves the page locked', async () => {
  serveApi({
    'GET /contact-service/v1/fields': ended,
    'POST /identity/v1/login': ({ body }) => {
      const { code } = body as { code?: string }
      if (code === undefined) return answer({ isTwoFactor: true, token: 'step' })
      return code === '123456' ? loggedIn : refusal(401, 'wrong_credentials', 'The code is wrong.')
    },
    'GET /identity/v1/login/1': entered,
  })
  renderApp(<Form />)
  void call(contactsApi.listFields, {}).catch(() => undefined)
  await expect.poll(() => currentSession().state).toBe('locked')
  expect(await signInAgain('secret')).toBe('step')
  await expect(signInAgainWithCode('step', '000000')).rejects.toThrow('The code is wrong.')
  expect(currentSession().state).toBe('locked')
  await signInAgainWithCode('step', '123456')
  expect(currentSession().state).toBe('in')
})

test('another person starts without any data of the previous one', async () => {
  serveApi({ 'GET /contact-service/v1/fields': ended })
  renderApp(<Form />)
  queryClient.setQueryData(['contacts'], ['of Mara'])
  const waiting = call(contactsApi.listFields, {})
  await expect.poll(() => currentSession().state).toBe('locked')
  leaveLocked()
  await expect(waiting).rejects.toMatchObject({ code: 'not_signed_in' })
  expect(currentSession()).toEqual({ state: 'out', notice: null, keepsPlace: false })
  expect(queryClient.getQueryData(['contacts'])).toBeUndefined()
})

test('without unsaved input the session ends as usual, and so does that of an impersonation link', async () => {
  serveApi({ 'GET /contact-service/v1/fields': ended })
  await call(contactsApi.listFields, {}).catch(() => undefined)
  expect(currentSession().state).toBe('out')
  renderApp(<Form />)
  setSession({ state: 'in', user: mara, account: 1 }, { token: 'link', email: '', account: 1, isImpersonated: true })
  await call(contactsApi.listFields, {}).catch(() => undefined)
  expect(currentSession().state).toBe('out')
})

test('logging out discards unsaved input, in this tab and in others', async () => {
  serveApi({ 'POST /identity/v1/logout': answer(null, 204) })
  renderApp(<Form />)
  tabsChange(keptBy(mara.email, { isLeft: true }), null)
  expect(currentSession()).toMatchObject({ state: 'out', notice: 'You signed out in another tab.' })
  beSignedIn()
  await signOut()
  expect(currentSession()).toEqual({ state: 'out', notice: null, keepsPlace: false })
})

test('a locked tab continues when its person signs in in another tab, and ends for another person', async () => {
  const sent = serveApi({ 'GET /identity/v1/login/1': entered })
  renderApp(<Form />)
  // Lost in another tab.
  tabsChange(keptBy(mara.email), null)
  expect(currentSession().state).toBe('locked')
  tabsChange(null, keptBy(mara.email))
  await expect.poll(() => currentSession().state).toBe('in')
  expect(sent[0]?.headers['authorization']).toBe('Bearer other')
  tabsChange(keptBy(mara.email), null)
  expect(currentSession().state).toBe('locked')
  tabsChange(null, keptBy('somebody.else@example.com'))
  expect(currentSession()).toEqual({ state: 'out', notice: null, keepsPlace: false })
})

import { contactsApi } from '@portico/contract/contacts'
import { exportsApi } from '@portico/contract/exports'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderHook } from '@testing-library/react'
import { answer, beSignedIn, beSignedOut, refusal, serveApi } from '#test/server.ts'
import { useTypedInput } from '#ui/form/typed-input.ts'
import { ApiError } from './api-error.ts'
import { call } from './api.ts'
import { shellRoutes } from './shell-routes.ts'
import { fetchCount, fetchPage } from './lists.ts'
import { pendingStepUp, endStepUp } from '#lib/session/requirement.ts'
import { currentSession, keptSession } from '#lib/session/session-store.ts'

beforeEach(() => beSignedIn())

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

test('path parameters are encoded, and the token is sent', async () => {
  const sent = serveApi({ 'GET /contact-service/v1/downloads/12%2F3%20a.csv': answer({ url: '/files/1' }) })
  expect(await call(exportsApi.getDownload, { file: '12/3 a.csv' })).toEqual({ url: '/files/1' })
  expect(sent[0]?.headers['authorization']).toBe('Bearer token-1')
})

test('calls are passive after a minute without a click or key press', async () => {
  const sent = serveApi({ 'GET /contact-service/v1/fields': answer([]) })
  for (const secondsAgo of [null, 50, 70]) {
    if (secondsAgo !== null) localStorage.setItem('portico.lastActivity', String(Date.now() - secondsAgo * 1000))
    await call(contactsApi.listFields, {})
  }
  localStorage.removeItem('portico.lastActivity')
  expect(sent.map(({ headers }) => headers['x-passive'])).toEqual([undefined, undefined, '1'])
})

test('a list call sends filter and order as JSON, and page as limit and skip', async () => {
  const sent = serveApi({ 'GET /contact-service/v1/offers': answer([{ _id: '1' }]) })
  const find = [{ $match: { 'First Name': 'Ada & co' } }]
  await fetchPage(contactsApi.listOffers, { find, sort: { field: 'Score', direction: 'desc' }, page: 3, pageSize: 20 })
  expect(sent[0]?.query).toEqual({ find: JSON.stringify(find), sort: '{"Score":-1}', limit: '20', skip: '40' })
})

test('a count call requests only the count', async () => {
  const sent = serveApi({ 'GET /contact-service/v1/offers': answer({ count: 7 }) })
  expect(await fetchCount(contactsApi.listOffers)).toBe(7)
  expect(sent[0]?.query).toEqual({ count: '' })
})

test('a refusal keeps its code, text and the problems of fields', async () => {
  const problems = [{ field: 'name', message: 'Value is required!' }]
  serveApi({ 'GET /contact-service/v1/fields': refusal(400, 'invalid_input', 'name: Value is required!', problems) })
  const error = await failureOf(call(contactsApi.listFields, {}))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ code: 'invalid_input', message: 'name: Value is required!', fieldProblems: problems })
  expect(currentSession().state).toBe('in')
})

test('401 ends the session with the reason as notice and keeps the place', async () => {
  const reason = 'Your session has ended. Please sign in again.'
  serveApi({ 'GET /contact-service/v1/fields': refusal(401, 'not_signed_in', reason) })
  await failureOf(call(contactsApi.listFields, {}))
  expect(currentSession()).toEqual({
    state: 'out',
    notice: reason,
    keepsPlace: true,
  })
})

test('a new two-factor requirement leaves the account for the setup but keeps the session', async () => {
  serveApi({ 'GET /contact-service/v1/fields': refusal(403, 'two_factor_needed') })
  expect(await failureOf(call(contactsApi.listFields, {}))).toMatchObject({ code: 'two_factor_needed' })
  expect(currentSession()).toMatchObject({ state: 'refused', account: 1, needs: 'two-factor' })
  expect(keptSession()?.token).toBe('token-1')
})

test('a requirement is asked for once and all waiting calls are repeated; without it they fail', async () => {
  let isGiven = false
  const sent = serveApi({
    'GET /contact-service/v1/fields': () => (isGiven ? answer([]) : refusal(403, 'password_needed')),
  })
  const waiting = [call(contactsApi.listFields, {}), call(contactsApi.listFields, {})]
  await vi.waitFor(() => expect(pendingStepUp()).toBe('password'))
  await vi.waitFor(() => expect(sent).toHaveLength(2))
  isGiven = true
  endStepUp(true)
  expect(await Promise.all(waiting)).toEqual([[], []])
  expect(pendingStepUp()).toBeNull()
  isGiven = false
  const failure = failureOf(call(contactsApi.listFields, {}))
  await vi.waitFor(() => expect(pendingStepUp()).toBe('password'))
  endStepUp(false)
  expect(await failure).toMatchObject({ code: 'password_needed' })
  expect(currentSession().state).toBe('in')
})

test('a new two-factor requirement keeps unsaved input until it is set up or declined', async () => {
  const { unmount } = renderHook(() => useTypedInput(true))
  let isOn = false
  serveApi({ 'GET /contact-service/v1/fields': () => (isOn ? answer([]) : refusal(403, 'two_factor_needed')) })
  const first = failureOf(call(contactsApi.listFields, {}))
  await vi.waitFor(() => expect(pendingStepUp()).toBe('two-factor'))
  expect(currentSession().state).toBe('in')
  endStepUp(false)
  expect(await first).toMatchObject({ code: 'two_factor_needed' })
  expect(currentSession()).toMatchObject({ state: 'refused', needs: 'two-factor' })
  beSignedIn()
  const second = call(contactsApi.listFields, {})
  await vi.waitFor(() => expect(pendingStepUp()).toBe('two-factor'))
  isOn = true
  endStepUp(true)
  expect(await second).toEqual([])
  expect(currentSession().state).toBe('in')
  unmount()
})

test('wrong credentials do not end the session', async () => {
  serveApi({ 'POST /identity/v1/login': refusal(401, 'wrong_credentials') })
  const error = await failureOf(call(shellRoutes.login, { body: { email: 'a', password: 'b' } }))
  expect(error).toMatchObject({ code: 'wrong_credentials' })
  expect(currentSession().state).toBe('in')
})

test('a late 401 for a replaced token does not end the session', async () => {
  serveApi({
    'GET /contact-service/v1/fields': () => {
      beSignedOut()
      beSignedIn({ email: 'other@example.com' })
      return refusal(401, 'not_signed_in')
    },
  })
  beSignedOut()
  const { setSession } = await import('#lib/session/session-store.ts')
  setSession(currentSession(), { token: 'old', email: 'a@example.com', account: 1 })
  await failureOf(call(contactsApi.listFields, {}))
  expect(currentSession().state).toBe('in')
})

test('a lost connection and an error page of a gateway give the same message', async () => {
  const text = 'The portal cannot be reached. Check your connection and try again.'
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  expect(await failureOf(call(contactsApi.listFields, {}))).toMatchObject({ code: 'unavailable', message: text })
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('<html>Bad gateway</html>', { status: 502 })))
  expect(await failureOf(call(contactsApi.listFields, {}))).toMatchObject({ code: 'unavailable', message: text })
})

test('an aborted call is reported as aborted, not as unreachable', async () => {
  const controller = new AbortController()
  controller.abort()
  vi.stubGlobal('fetch', () => Promise.reject(new DOMException('Aborted', 'AbortError')))
  const error = await failureOf(call(contactsApi.listFields, {}, { signal: controller.signal }))
  expect(error).toMatchObject({ name: 'AbortError' })
})

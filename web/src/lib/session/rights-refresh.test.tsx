import { act, screen } from '@testing-library/react'
import { contactsApi } from '@portico/contract/contacts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, aUser, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { call } from '#lib/api/api.ts'
import { useRightsRefresh } from './rights-refresh.ts'
import { useCan } from './session.ts'
import { currentSession } from './session-store.ts'

function Watched() {
  useRightsRefresh()
  return <p>{useCan('contact-import-list') ? 'may' : 'may not'}</p>
}

const granted = { 'GET /identity/v1/user': answer(aUser({ policies: ['contact-import-list'] })) }

beforeEach(() => {
  vi.useFakeTimers()
  beSignedIn()
})
afterEach(() => void vi.useRealTimers())

async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms))
}

test('new rights apply without a reload when the tab gets the focus again', async () => {
  const sent = serveApi(granted)
  renderApp(<Watched />)
  expect(screen.getByText('may not')).toBeVisible()
  window.dispatchEvent(new Event('focus'))
  expect(sent).toHaveLength(0)
  await pass(11_000)
  window.dispatchEvent(new Event('focus'))
  await pass(0)
  expect(screen.getByText('may')).toBeVisible()
})

test('rights are reloaded every five minutes and after a refusal, and the user stays on the page', async () => {
  const sent = serveApi({ 'GET /contact-service/v1/fields': refusal(403, 'not_allowed'), ...granted })
  renderApp(<Watched />)
  await pass(60_000)
  await call(contactsApi.listFields, {}).catch(() => undefined)
  await pass(0)
  expect(screen.getByText('may')).toBeVisible()
  expect(currentSession().state).toBe('in')
  const asked = sent.length
  await pass(5 * 60_000)
  expect(sent.length).toBe(asked + 1)
})

test('a failed reload of the rights changes nothing', async () => {
  serveApi({ 'GET /identity/v1/user': refusal(503, 'unavailable') })
  renderApp(<Watched />)
  await pass(5 * 60_000)
  expect(currentSession().state).toBe('in')
  expect(screen.getByText('may not')).toBeVisible()
})

import { act } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, aUser, beSignedIn, type Sent, serveApi } from '#test/server.ts'
import { type Inactivity, useInactivity } from './inactivity.ts'
import { currentSession } from './session-store.ts'

let shown: Inactivity
let sent: Sent[]

function Watched() {
  const inactivity = useInactivity(30)
  useEffect(() => {
    shown = inactivity
  })
  return null
}

function minutesPass(minutes: number): void {
  act(() => void vi.advanceTimersByTime(minutes * 60_000))
}

const inMinutes = (): number | null => shown.endsAt && Math.round((shown.endsAt - Date.now()) / 60_000)

function otherTabIsUsed(): void {
  localStorage.setItem('portico.lastActivity', String(Date.now()))
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'portico.lastActivity' })))
}

beforeEach(() => {
  vi.useFakeTimers()
  beSignedIn()
  sent = serveApi({ 'POST /identity/v1/logout': answer(null, 204), 'GET /identity/v1/user': answer(aUser()) })
})
afterEach(() => void vi.useRealTimers())

test('signs out after the timeout without a click or key press, and keeps the place', () => {
  renderApp(<Watched />)
  minutesPass(29)
  expect(currentSession().state).toBe('in')
  minutesPass(2)
  expect(currentSession()).toEqual({
    state: 'out',
    notice: 'You were signed out after 30 minutes without activity.',
    keepsPlace: true,
  })
  expect(sent.map(({ call }) => call)).toEqual(['POST /identity/v1/logout'])
})

test('warns two minutes before; until then a click or key press restarts the timeout', () => {
  renderApp(<Watched />)
  minutesPass(27)
  expect(shown.endsAt).toBeNull()
  act(() => void window.dispatchEvent(new MouseEvent('click')))
  minutesPass(27)
  act(() => void window.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' })))
  minutesPass(27)
  expect(shown.endsAt).toBeNull()
  minutesPass(1.1)
  expect(inMinutes()).toBe(2)
  // Moving to a button of the warning does not answer it.
  act(() => void window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab' })))
  minutesPass(1)
  expect(inMinutes()).toBe(1)
})

test('staying restarts the timeout and notifies the server', () => {
  renderApp(<Watched />)
  minutesPass(29)
  act(() => shown.stay())
  expect(shown.endsAt).toBeNull()
  expect(sent.map(({ call }) => call)).toEqual(['GET /identity/v1/user'])
  minutesPass(27)
  expect(shown.endsAt).toBeNull()
  expect(currentSession().state).toBe('in')
})

test('activity in another tab restarts the timeout, even during the warning', () => {
  renderApp(<Watched />)
  minutesPass(29)
  expect(shown.endsAt).not.toBeNull()
  otherTabIsUsed()
  expect(shown.endsAt).toBeNull()
  minutesPass(27)
  expect(currentSession().state).toBe('in')
})

test('a tab that slept past the timeout signs out when it becomes visible', () => {
  renderApp(<Watched />)
  // The clock advances, timers do not.
  vi.setSystemTime(Date.now() + 31 * 60_000)
  expect(currentSession().state).toBe('in')
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
  expect(currentSession().state).toBe('out')
})

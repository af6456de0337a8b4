import { act } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { useInactivitySignOut } from './inactivity.ts'
import { currentSession } from './session-store.ts'

function Watched() {
  useInactivitySignOut(30)
  return null
}

function minutesPass(minutes: number): void {
  act(() => void vi.advanceTimersByTime(minutes * 60_000))
}

beforeEach(() => {
  vi.useFakeTimers()
  beSignedIn()
  serveApi({ 'POST /identity/v1/logout': answer(null, 204) })
})
afterEach(() => void vi.useRealTimers())

test('signs out after the time without a click or a key, and keeps the place', () => {
  renderApp(<Watched />)
  minutesPass(29)
  expect(currentSession().state).toBe('in')
  minutesPass(2)
  expect(currentSession()).toEqual({
    state: 'out',
    notice: 'You were signed out after 30 minutes without activity.',
    keepsPlace: true,
  })
})

test('a click here or work in another tab starts the time again', () => {
  renderApp(<Watched />)
  minutesPass(29)
  window.dispatchEvent(new MouseEvent('click'))
  minutesPass(29)
  localStorage.setItem('portico.lastActivity', String(Date.now()))
  minutesPass(29)
  expect(currentSession().state).toBe('in')
  minutesPass(2)
  expect(currentSession().state).toBe('out')
})

import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { InactivityDialog } from './inactivity-dialog.tsx'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('the announced time is the time left at the announcement', () => {
  renderApp(
    <InactivityDialog endsAt={Date.now() + 95_000} minutes={30} onStay={() => undefined} onLogOut={() => undefined} />,
  )
  const spoken = () => screen.getByRole('status', { hidden: true }).textContent
  const pass = (seconds: number): void => act(() => void vi.advanceTimersByTime(seconds * 1000))
  expect(spoken()).toBe('You will be logged out in 95 seconds.')
  pass(20)
  expect(spoken()).toBe('You will be logged out in 95 seconds.')
  expect(screen.getByRole('timer', { hidden: true })).toHaveTextContent('1:15')
  pass(15)
  expect(spoken()).toBe('You will be logged out in 60 seconds.')
  pass(30)
  expect(spoken()).toBe('You will be logged out in 30 seconds.')
  pass(20)
  expect(spoken()).toBe('You will be logged out in 10 seconds.')
})

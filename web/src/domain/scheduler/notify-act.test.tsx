import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { notifyAct } from './notify-act.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const pass = (ms: number): void => act(() => void vi.advanceTimersByTime(ms))

test('an action of the scheduler is confirmed for 5 seconds', () => {
  renderApp(null)
  act(() => notifyAct('A was added.'))
  pass(4_990)
  expect(screen.getByText('A was added.')).toBeVisible()
  pass(20)
  expect(screen.queryByText('A was added.')).toBeNull()
})

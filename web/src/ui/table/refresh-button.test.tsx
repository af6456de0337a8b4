import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { RefreshButton } from './refresh-button.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('is locked after a load and counts down the seconds', () => {
  const onRefresh = vi.fn<() => void>()
  renderApp(<RefreshButton loadedAt={Date.now()} lockSeconds={10} onRefresh={onRefresh} />)
  expect(screen.getByRole('button', { name: 'in 10 sec' })).toBeDisabled()
  act(() => void vi.advanceTimersByTime(7_000))
  expect(screen.getByRole('button', { name: 'in 3 sec' })).toBeDisabled()
  act(() => void vi.advanceTimersByTime(3_200))
  fireEvent.click(screen.getByRole('button', { name: 'REFRESH' }))
  expect(onRefresh).toHaveBeenCalledOnce()
})

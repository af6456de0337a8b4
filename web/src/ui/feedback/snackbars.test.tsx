import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { notifyDone, notifyError } from './notify.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const pass = (ms: number): void => act(() => void vi.advanceTimersByTime(ms))
const tell = (message: string, how = notifyDone): void => act(() => how(message))

test('success messages stay for 4 seconds, errors for 10', () => {
  renderApp(null)
  tell('Saved.')
  tell('Nothing works.', notifyError)
  pass(3_990)
  expect(screen.getByText('Saved.')).toBeVisible()
  pass(20)
  expect(screen.queryByText('Saved.')).toBeNull()
  expect(screen.getByRole('alert')).toHaveTextContent('Nothing works.')
  pass(5_980)
  expect(screen.getByText('Nothing works.')).toBeVisible()
  pass(20)
  expect(screen.queryByText('Nothing works.')).toBeNull()
})

test('a snackbar stays while the mouse is over it', () => {
  renderApp(null)
  tell('Saved.')
  const snackbar = screen.getByText('Saved.').parentElement
  if (snackbar) fireEvent.mouseEnter(snackbar)
  pass(20_000)
  expect(screen.getByText('Saved.')).toBeVisible()
  if (snackbar) fireEvent.mouseLeave(snackbar)
  pass(4_010)
  expect(screen.queryByText('Saved.')).toBeNull()
})

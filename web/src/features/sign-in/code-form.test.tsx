import { act, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '#lib/api/api-error.ts'
import { renderApp } from '#test/render.tsx'
import { CodeForm } from './code-form.tsx'

afterEach(() => void vi.useRealTimers())

const refusedWith = (step: string, message: string) => () =>
  Promise.reject(new ApiError('wrong_credentials', message, { step }))

test('six digits are submitted automatically, a recovery code with the button', async () => {
  const given: string[] = []
  const onCode = (code: string): Promise<void> => {
    given.push(code)
    return Promise.resolve()
  }
  const { user, unmount } = renderApp(<CodeForm onCode={onCode} onBack={() => undefined} />)
  expect(screen.getByLabelText('Code')).toHaveFocus()
  await user.keyboard('123 456')
  expect(given).toEqual(['123 456'])
  unmount()

  const again = renderApp(<CodeForm onCode={onCode} onBack={() => undefined} />)
  await again.user.click(screen.getByRole('button', { name: 'Use a recovery code' }))
  await again.user.type(screen.getByLabelText('Recovery code'), 'abcde-fghij')
  expect(given).toHaveLength(1)
  await again.user.keyboard('{Enter}')
  expect(given).toEqual(['123 456', 'abcde-fghij'])
})

test('an empty code is reported at its field', async () => {
  const { user } = renderApp(<CodeForm onCode={() => Promise.resolve()} onBack={() => undefined} />)
  await user.keyboard('{Enter}')
  expect(screen.getByText('Value is required!')).toBeVisible()
  expect(screen.getByLabelText('Code')).toHaveFocus()
})

test('a wrong code can be corrected, unless the server asks for the password again', async () => {
  const back: (string | null)[] = []
  const onBack = (problem: string | null): void => void back.push(problem)
  const { user, unmount } = renderApp(<CodeForm onCode={refusedWith('code', 'The code is wrong.')} onBack={onBack} />)
  await user.keyboard('123456')
  expect(await screen.findByRole('alert')).toHaveTextContent('The code is wrong.')
  expect(back).toEqual([])
  unmount()

  const again = renderApp(<CodeForm onCode={refusedWith('password', 'Too many wrong codes.')} onBack={onBack} />)
  await again.user.keyboard('123456')
  await expect.poll(() => back).toEqual(['Too many wrong codes.'])
})

test('after five minutes the sign-in starts over and shows the reason', () => {
  vi.useFakeTimers()
  const back: (string | null)[] = []
  renderApp(<CodeForm onCode={() => Promise.resolve()} onBack={(problem) => void back.push(problem)} />)
  act(() => void vi.advanceTimersByTime(299_000))
  expect(back).toEqual([])
  act(() => void vi.advanceTimersByTime(2_000))
  expect(back).toEqual(['The code expired. Please sign in again.'])
})

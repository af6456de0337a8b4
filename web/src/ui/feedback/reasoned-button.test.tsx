import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import IconPencil from '#icons/IconPencil'
import { renderApp } from '#test/render.tsx'
import { ReasonedButton, RowButton } from './reasoned-button.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const reason = 'Contact your admin to see how you can get this feature.'
const pass = (ms: number): void => act(() => void vi.advanceTimersByTime(ms))

test.each([
  ['a button', <ReasonedButton key="a" label="Edit" Icon={IconPencil} reason={reason} onClick={() => fail()} />],
  ['a row', <RowButton key="b" label="Edit" hint="Edit" Icon={IconPencil} reason={reason} onClick={() => fail()} />],
])('%s that is disabled only shows the reason, for 5 seconds', (_name, button) => {
  renderApp(button)
  const shown = screen.getByRole('button', { name: 'Edit' })
  expect(shown).toHaveAttribute('aria-disabled', 'true')
  expect(screen.queryByRole('tooltip')).toBeNull()
  fireEvent.click(shown)
  pass(4_900)
  expect(screen.getByRole('tooltip')).toHaveTextContent(reason)
  pass(1_000)
  expect(screen.queryByRole('tooltip')).toBeNull()
})

test('a button without a reason works', () => {
  const onClick = vi.fn<() => void>()
  renderApp(<ReasonedButton label="Edit" Icon={IconPencil} reason={null} onClick={onClick} />)
  fireEvent.click(screen.getByRole('button', { name: 'Edit' }))
  expect(onClick).toHaveBeenCalledOnce()
})

function fail(): never {
  throw new Error('It did something.')
}

import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { DateRangePicker, type RangeChoice } from './date-range-picker.tsx'

const presets = [
  { value: '6', label: 'Last 7 days' },
  { value: 'T', label: 'Today' },
  { value: 'ALL', label: 'All time' },
]

/** Opens a picker whose latest day is March 20, 2026. */
type Part = { from?: string; to?: string; isAll?: boolean; preset?: string; isSingle?: boolean; mostDays?: number }
async function open(part: Part = {}) {
  const { from = '2026-03-14', to = '2026-03-20', isAll = false, preset = '6', isSingle = false, mostDays = 30 } = part
  const onApply = vi.fn<(choice: RangeChoice) => void>()
  const rendered = renderApp(
    <DateRangePicker
      label="Dates"
      days={isAll ? null : { from, to }}
      earliest="2012-02-01"
      latest="2026-03-20"
      {...{ preset, presets, isSingle, mostDays, onApply }}
    />,
  )
  await rendered.user.click(screen.getByRole('button', { name: /^Dates: / }))
  await screen.findByRole('button', { name: 'Apply' })
  const day = (name: string): HTMLElement => screen.getByRole('button', { name })
  return { ...rendered, onApply, day }
}

const apply = (): HTMLElement => screen.getByRole('button', { name: 'Apply' })

test('the button shows the preset and its days, and choosing a preset applies it', async () => {
  const { user, onApply } = await open()
  const button = screen.getByRole('button', { name: 'Dates: Last 7 days, 3/14/2026 – 3/20/2026', hidden: true })
  expect(button).toHaveTextContent('Last 7 days · 3/14/2026 – 3/20/2026')
  await user.click(screen.getByRole('button', { name: 'Today' }))
  expect(onApply).toHaveBeenCalledExactlyOnceWith({ preset: 'T' })
})

test('all days open as a range without days, which can be chosen', async () => {
  const { user, onApply, day } = await open({ isAll: true, preset: 'ALL' })
  expect(screen.getByRole('radio', { name: 'Range' })).toBeChecked()
  expect(apply()).toBeDisabled()
  await user.click(day('2 March 2026'))
  await user.click(day('4 March 2026'))
  await user.click(apply())
  expect(onApply).toHaveBeenCalledExactlyOnceWith({ from: '2026-03-02', to: '2026-03-04' })
})

test('range presets open as a range, day presets as a single date, and the mode can be switched', async () => {
  const { user, onApply, day } = await open({ from: '2026-03-20', preset: 'T' })
  const mode = within(screen.getByRole('radiogroup', { name: 'Range or single date' }))
  expect(mode.getByRole('radio', { name: 'Single date' })).toBeChecked()
  await user.click(day('18 March 2026'))
  await user.click(apply())
  expect(onApply).toHaveBeenLastCalledWith({ from: '2026-03-18', to: '2026-03-18' })
})

test('Apply requires both dates of a range', async () => {
  const { user, onApply, day } = await open()
  expect(apply()).toBeEnabled()
  await user.click(day('2 March 2026'))
  expect(apply()).toBeDisabled()
  await user.click(day('10 March 2026'))
  await user.click(apply())
  expect(onApply).toHaveBeenCalledExactlyOnceWith({ from: '2026-03-02', to: '2026-03-10' })
})

test('a range is limited to the allowed number of days', async () => {
  const { user, day } = await open({ mostDays: 7 })
  await user.click(day('2 March 2026'))
  await user.click(day('9 March 2026'))
  expect(screen.getByRole('alert')).toHaveTextContent('Choose at most 7 days.')
  expect(apply()).toBeDisabled()
})

test.each([
  [1, 'Choose at most 1 day.'],
  [0, 'Choose one of the presets.'],
])('with at most %d days it shows what can be chosen', async (mostDays, advice) => {
  const { user, day } = await open({ mostDays })
  await user.click(day('2 March 2026'))
  await user.click(day('3 March 2026'))
  expect(screen.getByRole('alert')).toHaveTextContent(advice)
  expect(apply()).toBeDisabled()
})

test('days after the latest are not offered', async () => {
  const { day } = await open()
  expect(day('20 March 2026')).toBeEnabled()
  expect(day('21 March 2026')).toBeDisabled()
})

test('days before the earliest are not offered', async () => {
  const { day } = await open({ from: '2012-02-01', to: '2012-02-02' })
  expect(day('1 February 2012')).toBeEnabled()
  expect(screen.getByRole('button', { name: 'Previous month' })).toBeDisabled()
})

test('a picker of single days offers no ranges', async () => {
  await open({ from: '2026-03-20', preset: 'T', isSingle: true })
  expect(screen.queryByRole('radiogroup')).toBeNull()
})

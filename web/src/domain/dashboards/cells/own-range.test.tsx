import { screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { aChart } from '#test/dashboards.ts'
import { renderApp } from '#test/render.tsx'
import { beSignedIn } from '#test/server.ts'
import { readInteraction, useInteraction } from '../interaction-address.ts'
import { OwnRange } from './own-range.tsx'

const ranges = ['Last 7 days', 'Last 14 days', 'Last 30 days', 'Current Month', 'Last Month']
const days = ['Today', 'Yesterday']

const month = { type: 'DatePicker', datePickerType: 'month', defaultId: '13', maxRange: 31 }
const day = { type: 'DatePicker', datePickerType: 'day', defaultId: 'Y' }
const tile = { type: 'KPI', filter: { standard: [] }, options: { template: 'internal-date-range' } }

function Cell({ part }: { part: object }) {
  const choosing = useInteraction()
  const cell = { id: 'when', cols: 4, chart: aChart({ ...part, title: 'When' }) }
  return <OwnRange cell={cell} choosing={choosing} />
}

const chosenIn = (address: string) => readInteraction(new URLSearchParams(address.slice(1))).ranges

beforeEach(() => beSignedIn())

test.each([
  ['a date picker of months', month, 'Last 14 days', ranges],
  ['a date picker of days', day, 'Yesterday', days],
  [
    'a date picker of all time',
    { ...day, defaultId: 'ALL', portico: { allTime: true } },
    'All time',
    [...days, 'All time'],
  ],
  ['a tile with dates of its own', tile, 'Last 30 days', [...ranges, ...days]],
])('%s', async (_, part, initial, presets) => {
  const { user } = renderApp(<Cell part={part} />)
  await user.click(screen.getByRole('button', { name: new RegExp(`^When: ${initial}(?:, |$)`) }))
  expect(await screen.findByRole('button', { name: 'Apply' })).toBeVisible()
  const all = [...ranges, ...days, 'All time']
  expect(all.filter((name) => screen.queryByRole('button', { name }) !== null)).toEqual(presets)
})

test('the first preset does not filter, any other one does', async () => {
  const { user, address } = renderApp(<Cell part={month} />)
  await user.click(screen.getByRole('button', { name: /^When: Last 14 days/ }))
  await user.click(screen.getByRole('button', { name: 'Last Month' }))
  expect(chosenIn(address())).toEqual([{ cell: 'when', preset: 'LM' }])
  await user.click(screen.getByRole('button', { name: /^When: Last Month/ }))
  await user.click(screen.getByRole('button', { name: 'Last 14 days' }))
  expect(chosenIn(address())).toEqual([])
})

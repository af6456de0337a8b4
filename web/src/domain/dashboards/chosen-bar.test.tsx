import { newDefinition } from '@portico/contract/dashboards/definition'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { aChart } from '#test/dashboards.ts'
import { renderApp } from '#test/render.tsx'
import { beSignedIn } from '#test/server.ts'
import { ChosenBar } from './chosen-bar.tsx'

const cell = (id: string, title: string, part: object) => ({ id, cols: 4, chart: aChart({ ...part, title }) })

afterEach(() => vi.useRealTimers())

test('choices are written as the cells write them: days, truth values, and no value', () => {
  beSignedIn()
  const picker = { type: 'DatePicker', datePickerType: 'month', defaultId: '13', maxRange: 31 }
  const layout = [
    [
      cell('opted', 'Opted in', {
        type: 'Column',
        filter: { standard: [{ $group: { _id: { 'Opted In': '$Opted In' } } }] },
      }),
      cell('when', 'When', picker),
      cell('day', 'Day', picker),
    ],
  ]
  renderApp(
    <ChosenBar
      definition={{ ...newDefinition(), layout }}
      interaction={{
        ...noInteraction,
        clicks: [{ cell: 'opted', keys: [[true], [false], [null]] }],
        ranges: [
          { cell: 'when', from: '2026-10-26', to: '2026-11-25' },
          { cell: 'day', from: '2026-10-01', to: '2026-10-01' },
        ],
      }}
      onChange={() => {}}
      isShareable
    />,
  )
  const removers = screen
    .getAllByRole('button', { name: /^Remove / })
    .map((button) => button.getAttribute('aria-label'))
  expect(removers).toEqual([
    'Remove Opted in: True, False, (no value)',
    'Remove When: 10/26/2026 – 11/25/2026',
    'Remove Day: 10/1/2026',
  ])
})

test('a date picker says which days it shows before anything is chosen', async () => {
  vi.setSystemTime('2026-11-25T12:00:00Z')
  beSignedIn()
  const picker = { type: 'DatePicker', datePickerType: 'month', defaultId: '13', maxRange: 31 }
  const layout = [[cell('when', 'Event date', picker), cell('other', '', { ...picker, defaultId: 'TM' })]]
  const show = (interaction = noInteraction) =>
    renderApp(
      <ChosenBar
        definition={{ ...newDefinition(), layout }}
        interaction={interaction}
        onChange={() => {}}
        isShareable
      />,
    )
  const { unmount } = show()
  expect(screen.getByRole('region', { name: 'Active filters' })).toHaveTextContent(
    'Narrowed toEvent date: 11/12/2026 – 11/25/2026Dates: 11/1/2026 – 11/25/2026',
  )
  // Nothing was chosen that could be taken back.
  expect(screen.queryAllByRole('button')).toEqual([])
  unmount()
  show({ ...noInteraction, ranges: [{ cell: 'when', preset: '6' }] })
  expect(screen.getByRole('button', { name: 'Remove Event date: 11/19/2026 – 11/25/2026' })).toBeVisible()
  expect(screen.getByText('Dates: 11/1/2026 – 11/25/2026')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Reset' })).toBeVisible()
})

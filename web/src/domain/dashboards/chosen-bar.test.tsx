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

test('choices are written in words: days, truth values, and no value', () => {
  vi.setSystemTime('2026-11-25T12:00:00Z')
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
    'Remove When: Oct 26 – Nov 25',
    'Remove Day: Oct 1',
  ])
})

test('a date picker says which days it shows before anything is chosen', async () => {
  vi.setSystemTime('2026-11-25T12:00:00Z')
  beSignedIn()
  const picker = { type: 'DatePicker', datePickerType: 'month', defaultId: '13', maxRange: 31 }
  const layout = [
    [
      cell('when', 'When', picker),
      cell('other', '', { ...picker, defaultId: 'TM' }),
      cell('joined', '', { ...picker, defaultId: 'ALL', portico: { dateField: 'Joined', allTime: true } }),
    ],
  ]
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
    'Narrowed toWhen: Nov 12 – 25Event date: Nov 1 – 25Joined: All time',
  )
  // Nothing was chosen that could be taken back.
  expect(screen.queryAllByRole('button')).toEqual([])
  unmount()
  show({ ...noInteraction, ranges: [{ cell: 'when', preset: '6' }] })
  expect(screen.getByRole('button', { name: 'Remove When: Nov 19 – 25' })).toBeVisible()
  expect(screen.getByText('Event date: Nov 1 – 25')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Reset' })).toBeVisible()
})

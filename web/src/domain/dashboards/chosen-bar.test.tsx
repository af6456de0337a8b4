import { newDefinition } from '@portico/contract/dashboards/definition'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { aChart } from '#test/dashboards.ts'
import { renderApp } from '#test/render.tsx'
import { beSignedIn } from '#test/server.ts'
import { ChosenBar } from './chosen-bar.tsx'

const cell = (id: string, title: string, part: object) => ({ id, cols: 4, chart: aChart({ ...part, title }) })

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

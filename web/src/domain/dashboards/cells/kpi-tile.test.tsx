import { cleanup, screen } from '@testing-library/react'
import type { CellAnswer } from '@portico/contract/dashboards'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { beforeEach, expect, test } from 'vitest'
import { aChart } from '#test/dashboards.ts'
import { renderApp } from '#test/render.tsx'
import { beSignedIn } from '#test/server.ts'
import { KpiTile } from './kpi-tile.tsx'

type Kpi = { value: number | null; previous?: number | null }

beforeEach(() => beSignedIn())

const fields: CellAnswer['fields'] = [
  { name: 'Paid', type: 'number', format: { style: 'currency', decimals: null, currency: null } },
]

function open(kpi: Kpi, template?: string, part: object = {}): void {
  const options = { colors: ['#3560c4'], ...(template !== undefined && { template }) }
  const chart = aChart({ type: 'KPI', title: 'Members', filter: { standard: [] }, options, ...part })
  const answer = { rows: [], total: 0, fields, asOf: '2026-03-01T10:00:00.000Z', kpi }
  renderApp(
    <KpiTile
      cell={{ id: 'k', cols: 6, chart }}
      source={{ kind: 'edited', chart }}
      choosing={{ interaction: noInteraction, change: () => {} }}
      shows="chart"
      answer={answer}
    />,
  )
}

test.each([undefined, 'kpi-1'])('the template %s shows one number, without a comparison', (template) => {
  open({ value: 12_345 }, template)
  expect(screen.getByText('12.3K')).toHaveAttribute('title', '12,345')
  expect(screen.queryByText(/period/)).toBeNull()
  expect(screen.queryByRole('button')).toBeNull()
})

test('without abbreviation the number is shown in full', () => {
  open({ value: 12_345 }, 'kpi-1', { formatNumbers: false })
  expect(screen.getByText('12,345')).toBeVisible()
})

test('master-date-range shows the change from the previous period', () => {
  open({ value: 150, previous: 200 }, 'master-date-range')
  expect(screen.getByText('150')).toBeVisible()
  expect(screen.getByText('down')).toBeInTheDocument()
  expect(screen.getByText(/25\.0%/)).toBeVisible()
  expect(screen.queryByRole('button')).toBeNull()
})

test('internal-date-range has its own date picker, with presets for ranges and single days', async () => {
  open({ value: 150, previous: 0 }, 'internal-date-range')
  expect(screen.getByText('0 in the period before')).toBeVisible()
  expect(await screen.findByRole('button', { name: /^Members: Last 30 days, / })).toBeVisible()
})

test('ratio-with-master-date-range shows the percentage on a gauge up to 100 by default', () => {
  open({ value: 71.25 }, 'ratio-with-master-date-range')
  expect(screen.getByRole('figure', { name: 'Members: 71.3% on a scale to 100' })).toBeVisible()
})

test('a ratio is a percentage that changes in points, and in percent if its format is another one', () => {
  const value = { $divide: [{ $sum: { $cond: { if: { City: 'Oslo' }, then: 1 } } }, { $count: {} }] }
  const filter = { standard: [{ $group: { _id: null, value } }] }
  open({ value: 0.25, previous: 0.2 }, 'master-date-range', { filter })
  expect(screen.getByText('25%')).toBeVisible()
  expect(screen.getByText(/5\.0 points/)).toBeVisible()
  cleanup()
  const formats = { value: { style: 'decimal', decimals: 2, currency: null } }
  open({ value: 0.25, previous: 0.2 }, 'master-date-range', { filter, portico: { formats } })
  expect(screen.getByText(/25\.0%/)).toBeVisible()
})

test('a share changes in points, from zero too', () => {
  open({ value: 71.25, previous: 0 }, 'ratio-with-master-date-range')
  expect(screen.getByText('up')).toBeInTheDocument()
  expect(screen.getByText(/71\.3 points/)).toBeVisible()
})

test('a figure that the period before does not have says so', () => {
  open({ value: 12, previous: null }, 'master-date-range')
  expect(screen.getByText('nothing in the period before')).toBeVisible()
})

test('without a number, as after a division by zero, the tile shows N/A', () => {
  open({ value: null }, 'ratio-with-master-date-range')
  expect(screen.getByText('N/A')).toBeVisible()
})

test('an unknown template is kept and shows that its name is invalid', () => {
  open({ value: 1 }, 'own-template')
  expect(screen.getByText('Invalid template name')).toBeVisible()
})

test('a number computed from a field has the format of the field', () => {
  const filter = { standard: [{ $group: { _id: null, Total: { $sum: '$Paid' } } }] }
  open({ value: 12_345.5 }, 'kpi-1', { filter })
  expect(screen.getByText('$12.3K')).toHaveAttribute('title', '$12,345.50')
})

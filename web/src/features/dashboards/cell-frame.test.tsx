import { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { Definition } from '@portico/contract/dashboards/definition'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { workbookType } from '@portico/contract/workbook/workbook-parts'
import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { CellFrame } from './cell-frame.tsx'

const standard = [{ $group: { _id: { City: '$City' }, count: { $count: {} } } }]
const chart = CellChart.parse({ type: 'Pie', title: 'Cities', filter: { standard }, options: { colors: ['#3560c4'] } })
const cell = { id: 'cities', cols: 6, chart }
const definition: Definition = { layout: [[cell]], originalFiltersSaved: false, resetFilters: false }
const rows = [
  { City: 'Denver', count: 2 },
  { City: 'Lisbon', count: 1 },
]
const cities = {
  rows,
  total: 2,
  asOf: '2026-03-01T10:00:00.000Z',
  fields: [{ name: 'City', type: 'string', isIndexed: false }],
}

/** Serves the cell once `arrive` is called. */
function serveLater(): () => void {
  const { promise: hasArrived, resolve: arrive } = Promise.withResolvers<void>()
  serveApi({ 'POST /contact-service/v1/dashboards/1/cells/cities': answer(cities) })
  const serve = fetch
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    await hasArrived
    return serve(...request)
  })
  return arrive
}

afterEach(() => vi.useRealTimers())

test('a menu opened before the chart is drawn gains the entries of the chart once it is', async () => {
  beSignedIn({ policies: ['contact-dashboards-view'] })
  const arrive = serveLater()
  const choosing = { interaction: noInteraction, change: () => {} }
  const { user } = renderApp(<CellFrame dashboard={{ _id: '1', version: 1 }} {...{ definition, cell, choosing }} />)
  await user.click(screen.getByRole('button', { name: 'Menu of Cities' }))
  expect(await screen.findByRole('menuitem', { name: 'Refresh' })).toBeVisible()
  expect(screen.queryByRole('menuitem', { name: 'Save as PNG' })).toBeNull()
  arrive()
  expect(await screen.findByRole('menuitem', { name: 'Save as PNG' })).toBeVisible()
  expect(screen.getByRole('menuitem', { name: 'Save as SVG' })).toBeVisible()
  expect(await screen.findByRole('menuitem', { name: 'Save as CSV' })).toBeVisible()
  expect(screen.getByRole('menuitem', { name: 'Save as Excel workbook' })).toBeVisible()
  expect(await screen.findByRole('menuitem', { name: 'Series' })).toBeVisible()
  expect(screen.getByText(/^As of \d\d:\d\d:\d\d$/)).toBeVisible()
})

test('a cell says the days that date pickers narrow it to', async () => {
  vi.setSystemTime('2026-11-25T12:00:00Z')
  beSignedIn({ policies: ['contact-dashboards-view'] })
  const dates = [
    { field: 'events.event_date', from: '2026-10-26', to: '2026-11-25' },
    { field: 'Joined', from: '2025-12-30', to: '2026-01-02' },
  ]
  serveApi({ 'POST /contact-service/v1/dashboards/1/cells/cities': answer({ ...cities, dates }) })
  const picker = { type: 'DatePicker', datePickerType: 'month', defaultId: '29', maxRange: 31 }
  const layout = [[cell, { id: 'when', cols: 6, chart: CellChart.parse(picker) }]]
  const choosing = { interaction: noInteraction, change: () => {} }
  const props = { definition: { ...definition, layout }, cell, choosing }
  renderApp(<CellFrame dashboard={{ _id: '1', version: 1 }} {...props} />)
  const text = 'Event date: Oct 26 – Nov 25 · Joined: Dec 30, 2025 – Jan 2, 2026'
  expect(await screen.findByText(text)).toBeVisible()
})

test('Refresh reloads a page of a table from the contacts', async () => {
  beSignedIn({ policies: ['contact-dashboards-view'] })
  const filter = { standard: [], columns: ['City'] }
  const paged = { id: 'people', cols: 6, chart: CellChart.parse({ type: 'PaginaTable', title: 'People', filter }) }
  const sent = serveApi({ 'POST /contact-service/v1/dashboards/1/cells/people': answer({ ...cities, total: 12 }) })
  const choosing = { interaction: noInteraction, change: () => {} }
  const props = { definition: { ...definition, layout: [[paged]] }, cell: paged, choosing }
  const { user } = renderApp(<CellFrame dashboard={{ _id: '1', version: 1 }} {...props} />)
  await user.click(await screen.findByRole('button', { name: 'Next' }))
  await user.click(screen.getByRole('button', { name: 'Menu of People' }))
  expect(await screen.findByText(/^As of \d\d:\d\d:\d\d$/)).toBeVisible()
  const before = sent.length
  await user.click(screen.getByRole('menuitem', { name: 'Refresh' }))
  await waitFor(() => expect(sent).toHaveLength(before + 1))
  expect(sent[before]?.body).toMatchObject({ skip: 5, limit: 5, refresh: true })
})

test('a paged table is saved with all its rows, unless there are too many', async () => {
  beSignedIn({ policies: ['contact-dashboards-view'] })
  const filter = { standard: [], columns: ['City'] }
  const paged = { id: 'people', cols: 6, chart: CellChart.parse({ type: 'PaginaTable', title: 'People', filter }) }
  const call = 'POST /contact-service/v1/dashboards/1/cells/people'
  const sent = serveApi({ [call]: answer({ ...cities, total: 4 }) })
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  const choosing = { interaction: noInteraction, change: () => {} }
  const props = { definition: { ...definition, layout: [[paged]] }, cell: paged, choosing }
  const { user } = renderApp(<CellFrame dashboard={{ _id: '1', version: 1 }} {...props} />)
  const choose = async (name: string) => {
    await user.click(await screen.findByRole('button', { name: 'Menu of People' }))
    await user.click(await screen.findByRole('menuitem', { name }))
  }
  await choose('Save as CSV')
  await waitFor(() => expect(saved).toHaveBeenCalledTimes(1))
  const pages = sent.filter(({ body }) => (body as { limit?: number }).limit === 5000)
  expect(pages.map(({ body }) => (body as { skip: number }).skip)).toEqual([0, 2])
  const [csv] = saved.mock.calls[0] ?? []
  expect(csv).toBeInstanceOf(Blob)
  expect(await (csv as Blob).text()).toBe('City\r\nDenver\r\nLisbon\r\nDenver\r\nLisbon\r\n')
  await choose('Save as Excel workbook')
  await waitFor(() => expect(saved).toHaveBeenCalledTimes(2))
  expect(saved.mock.calls[1]?.[0]).toMatchObject({ type: workbookType })
  serveApi({ [call]: answer({ ...cities, total: 50_001 }) })
  await choose('Save as Excel workbook')
  expect(await screen.findByText(/^This table has 50,001 rows, and at most 50,000 can be saved here\./)).toBeVisible()
  expect(saved).toHaveBeenCalledTimes(2)
})

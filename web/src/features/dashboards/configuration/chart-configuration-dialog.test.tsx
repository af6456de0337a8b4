import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { DashboardCell } from '@portico/contract/dashboards/definition'
import { screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { aChart, groupedByCity } from '#test/dashboards.ts'
import { pick } from '#test/pick.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { detailsOf, kinds, newChart } from './cell-kinds.ts'
import { ChartConfigurationDialog } from './chart-configuration-dialog.tsx'

const question = 'This change will reset your filter. Would you like to continue?'

beforeEach(() => {
  beSignedIn({ policies: ['contact-offers-list'] })
  const fields = ['City', 'Score'].map((name) => ({ name, type: name === 'City' ? 'string' : 'number' }))
  serveApi({ 'GET /contact-service/v1/fields': answer(fields.map((field) => ({ ...field, isIndexed: false }))) })
})

function open(chart?: CellChart, cells: DashboardCell[] = []) {
  const onSave = vi.fn<(chart: CellChart) => void>()
  const onClose = vi.fn<() => void>()
  const cell = { id: 'c', cols: 12, ...(chart && { chart }) }
  return { ...renderApp(<ChartConfigurationDialog {...{ cell, cells, onSave, onClose }} />), onSave, onClose }
}

const save = (): HTMLElement => screen.getByRole('button', { name: 'Save' })
const type = (): HTMLElement => screen.getByRole('combobox', { name: 'Type' })

test('all kinds of cells are offered', () => {
  expect(kinds.map(({ kind }) => kind).toSorted()).toEqual(
    'Area,Bar,CalculatedTable,Column,Combo,DatePicker,Donut,Dropdown,Geo,KPI,Line,PaginaTable,Pie,Pivot,Table,Text'.split(
      ',',
    ),
  )
})

test('a new chart is 250 pixels high with its legend on top, and a donut is a pie with a hole of 0.3', () => {
  expect(newChart('Column', undefined).options).toMatchObject({ height: 250, legend: { position: 'top' } })
  const donut = newChart('Donut', undefined)
  expect(donut).toMatchObject({ type: 'Pie', options: { pieHole: 0.3 } })
  expect(newChart('Pie', donut).options).not.toHaveProperty('pieHole')
})

test('a new date picker is for months: all time by default, one month at most', () => {
  const picker = { type: 'DatePicker', datePickerType: 'month', defaultId: 'ALL', maxRange: 31 }
  expect(newChart('DatePicker', undefined)).toMatchObject(picker)
})

test('each kind of cell has its own filter tabs', () => {
  const tabsOf = (kind: Parameters<typeof detailsOf>[0]): string[] => detailsOf(kind)?.tabs ?? []
  expect(tabsOf('Bar')).toEqual(['standard', 'behavioral', 'bylocation', 'groupby', 'fulltext'])
  expect(tabsOf('PaginaTable')).toEqual(['standard', 'behavioral', 'bylocation', 'columns', 'predefined', 'fulltext'])
})

describe('changing the kind', () => {
  test('to or from a cell that is not a chart asks before the filter is reset', async () => {
    const { user, onSave } = open(aChart({ type: 'Bar', filter: groupedByCity }))
    await pick(user, 'Type', 'KPI')
    expect(await screen.findByText(question)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'No' }))
    expect(type()).toHaveValue('Bar chart')
    await pick(user, 'Type', 'KPI')
    await user.click(await screen.findByRole('button', { name: 'Continue' }))
    expect(type()).toHaveValue('KPI')
    await user.click(save())
    expect(onSave.mock.lastCall?.[0]).toMatchObject({ type: 'KPI', title: 'Cities', filter: { standard: [] } })
  })

  test('to another chart keeps the filter without asking', async () => {
    const { user, onSave } = open(aChart({ type: 'Bar', filter: groupedByCity }))
    await pick(user, 'Type', 'Pie chart')
    expect(screen.queryByText(question)).toBeNull()
    await user.click(save())
    expect(onSave.mock.lastCall?.[0]).toMatchObject({ type: 'Pie', filter: groupedByCity })
  })

  test('without a filter does not ask', async () => {
    const { user } = open()
    await pick(user, 'Type', 'Dropdown')
    expect(screen.queryByText(question)).toBeNull()
    expect(type()).toHaveValue('Dropdown')
  })
})

test.each([
  ['Bar chart', 'Filter should have GroupBy!'],
  ['Dropdown', 'Filter should have GroupBy!'],
  ['Paginated table', 'should have some columns!'],
  ['Calculated table', 'Filter should have GroupBy!'],
  ['Calculated table', 'Calculated Columns cannot be empty!'],
])('%s is not saved without a required part: %s', async (kind, message) => {
  const { user, onSave } = open()
  await pick(user, 'Type', kind)
  await user.click(save())
  const form = within(screen.getByRole('dialog', { name: 'Chart Configuration' }))
  expect((await form.findAllByText(message))[0]).toBeVisible()
  expect(onSave).not.toHaveBeenCalled()
})

test.each(['Bar', 'KPI'] as const)('the colors of a %s are required', async (kind) => {
  const filter = kind === 'KPI' ? { standard: [] } : groupedByCity
  const { user, onSave } = open(aChart({ type: kind, filter, options: {} }))
  await user.click(save())
  const label = kind === 'KPI' ? 'Colour' : 'Colours'
  expect(screen.getByLabelText(new RegExp(`^${label}`), { selector: 'input' })).toHaveAccessibleDescription(
    'Value is required!',
  )
  expect(onSave).not.toHaveBeenCalled()
})

test('a date picker has presets and ranges depending on its type', async () => {
  const { user, onSave } = open(newChart('DatePicker', undefined))
  const optionsOf = async (label: string): Promise<string[]> => {
    await user.click(screen.getByRole('combobox', { name: label }))
    const list = within(await screen.findByRole('listbox', { name: label, hidden: true }))
    const texts = list.getAllByRole('option', { hidden: true }).map(({ textContent }) => textContent)
    await user.keyboard('{Escape}')
    return texts
  }
  const months = ['Last 7 days', 'Last 14 days', 'Last 30 days', 'Current Month', 'Last Month']
  expect(await optionsOf('Default')).toEqual([...months, 'All time'])
  expect(await optionsOf('Maximum range')).toEqual(['1 month', '2 months', '3 months'])
  await pick(user, 'Maximum range', '3 months')
  await pick(user, 'Date picker type', 'Day')
  expect(await optionsOf('Default')).toEqual(['Today', 'Yesterday', 'All time'])
  expect(screen.queryByRole('combobox', { name: 'Maximum range' })).toBeNull()
  await pick(user, 'Date picker type', 'Month')
  await user.click(screen.getByRole('switch', { name: /^Offer 'All time'/ }))
  expect(await optionsOf('Default')).toEqual(months)
  await user.click(save())
  expect(onSave.mock.lastCall?.[0]).toMatchObject({ datePickerType: 'month', defaultId: '29', maxRange: 93 })
})

test('a date picker narrows all cells, or those that are chosen', async () => {
  const cells = [
    { id: 'cities', cols: 6, chart: aChart({ type: 'Bar', title: 'Cities', filter: groupedByCity }) },
    { id: 'people', cols: 6, chart: aChart({ type: 'KPI', title: 'People', filter: { standard: [] } }) },
    { id: 'notes', cols: 6, chart: aChart({ type: 'Text', title: 'Notes' }) },
  ]
  const { user, onSave } = open(newChart('DatePicker', undefined), cells)
  await pick(user, 'Narrows', 'Chosen cells')
  await pick(user, 'Chosen cells', 'People')
  await user.click(save())
  expect(onSave.mock.lastCall?.[0].portico).toEqual({ allTime: true, narrows: ['cities'] })
})

test('values have formats of their own', async () => {
  const { user, onSave } = open(aChart({ type: 'Bar', filter: groupedByCity }))
  await user.click(screen.getByRole('button', { name: 'Edit formats' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Formats' }))
  await pick(user, 'Format of count', 'Currency ($1,234)')
  await pick(user, 'Decimals of count', '2')
  const currency = dialog.getByRole('textbox', { name: /^Currency of count/ })
  await user.clear(currency)
  await user.type(currency, 'eu')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  expect(currency).toHaveAccessibleDescription(/Enter the three letters of a currency/)
  await user.type(currency, 'r')
  await user.type(dialog.getByRole('textbox', { name: 'Suffix of count' }), ' net')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await user.click(save())
  expect(onSave.mock.lastCall?.[0].portico?.formats).toEqual({
    count: { style: 'currency', decimals: 2, currency: 'EUR', suffix: ' net' },
  })
})

test('a chart has a goal, a range and the largest of its groups', async () => {
  const { user, onSave } = open(aChart({ type: 'Bar', filter: groupedByCity }))
  await user.click(screen.getByRole('button', { name: 'Edit formats' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Formats' }))
  await user.click(dialog.getByRole('switch', { name: 'Goal line' }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  expect(dialog.getByRole('textbox', { name: 'Goal' })).toHaveAccessibleDescription('Value is required!')
  await user.type(dialog.getByRole('textbox', { name: 'Goal' }), '40')
  await user.type(dialog.getByRole('textbox', { name: 'Label of the goal' }), 'Target')
  await user.click(dialog.getByRole('switch', { name: 'Range' }))
  await user.type(dialog.getByRole('textbox', { name: 'Range from' }), '20')
  await user.type(dialog.getByRole('textbox', { name: 'Range to' }), '2')
  expect(dialog.getByRole('textbox', { name: 'Range to' })).toHaveAccessibleDescription('Enter a larger number.')
  await user.type(dialog.getByRole('textbox', { name: 'Range to' }), '5')
  await pick(user, 'Order of groups', 'Largest value first')
  await user.click(dialog.getByRole('switch', { name: 'Only the largest groups' }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await user.click(save())
  expect(onSave.mock.lastCall?.[0].portico?.display).toEqual({
    goal: { value: 40, label: 'Target' },
    band: { from: 20, to: 25 },
    order: 'value',
    top: { groups: 10, hasOther: true },
  })
})

test('values over time are added up or averaged, and groups without an order say why not', async () => {
  const fields = [{ name: 'Joined', type: 'date', isIndexed: false }]
  serveApi({ 'GET /contact-service/v1/fields': answer(fields) })
  const standard = [
    {
      $group: {
        _id: { M: { $dateTrunc: { date: '$Joined', unit: 'month' } } },
        n: { $count: {} },
        last: { $max: '$Joined' },
      },
    },
  ]
  const { user, onSave } = open(aChart({ type: 'Line', filter: { standard } }))
  await user.click(await screen.findByRole('button', { name: 'Edit formats' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Formats' }))
  await pick(user, 'n over time', 'Moving average')
  const points = dialog.getByRole('textbox', { name: 'Points of n' })
  expect(points).toHaveValue('7')
  await user.clear(points)
  await user.type(points, '91')
  expect(points).toHaveAccessibleDescription(/Enter a whole number from 2 to 90/)
  await user.type(points, '{Backspace}')
  expect(points).toHaveValue('9')
  expect(dialog.getByRole('combobox', { name: 'last over time' })).toHaveAccessibleDescription(
    'last cannot be added up.',
  )
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await user.click(save())
  expect(onSave.mock.lastCall?.[0].portico?.display).toEqual({ running: { n: { kind: 'average', points: 9 } } })
})

test.each([
  ['Bar', 'Only groups by date have an order in which their values follow each other.'],
  ['Pie', 'The slices of a pie do not follow each other.'],
] as const)('a %s of cities offers no values over time', async (kind, reason) => {
  const { user } = open(aChart({ type: kind, filter: groupedByCity }))
  await user.click(screen.getByRole('button', { name: 'Edit formats' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Formats' }))
  expect(dialog.getByText(`No cumulative values and no moving averages: ${reason}`)).toBeVisible()
})

test('a tile with its own dates takes ranges of 30 days by default, or 0 to 365', async () => {
  const { user, onSave } = open(newChart('KPI', undefined))
  await pick(user, 'Template', 'internal-date-range')
  const days = screen.getByRole('textbox', { name: 'Maximum range' })
  expect(days).toHaveValue('30')
  await user.clear(days)
  await user.type(days, '400')
  await user.tab()
  expect(days).toHaveValue('365')
  await user.click(save())
  expect(onSave.mock.lastCall?.[0]).toMatchObject({ options: { template: 'internal-date-range' }, maxRange: 365 })
})

test('the gauge of a ratio goes to 100 by default, and can end lower', async () => {
  const { user, onSave } = open(newChart('KPI', undefined))
  await pick(user, 'Template', 'ratio-with-master-date-range')
  const most = screen.getByRole('textbox', { name: 'Maximum of the gauge' })
  expect(most).toHaveValue('100')
  await user.clear(most)
  await user.type(most, '40')
  await user.click(save())
  expect(onSave.mock.lastCall?.[0]).toMatchObject({ gaugeMaxValue: 40, filter2: { standard: [] } })
})

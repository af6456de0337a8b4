import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import type { ChosenKind } from '../cell-kinds.ts'
import { newChart } from '../cell-kinds.ts'
import { ChartOptionsDialog } from './chart-options-dialog.tsx'
import { optionTabs } from './option-fields.ts'
import type { OptionValues } from './option-values.ts'

/** Opens the dialog for a chart without a filter; the preview says that it is missing. */
function open(kind: ChosenKind, options: OptionValues = {}) {
  const onSave = vi.fn<(options: CellChart['options']) => void>()
  const onClose = vi.fn<() => void>()
  const chart = newChart(kind, undefined)
  const problems = [{ key: 'filter', message: 'Filter should have GroupBy!' }]
  const rendered = renderApp(
    <ChartOptionsDialog {...{ chart, problems, onSave, onClose }} options={{ ...chart.options, ...options }} />,
  )
  return { ...rendered, chart, onSave, onClose }
}

const tabNames = (): string[] => screen.getAllByRole('tab').map(({ textContent }) => textContent)
const save = (): HTMLElement => screen.getByRole('button', { name: 'Save' })
const fieldNames = (kind: ChosenKind, tab: string): string[] =>
  optionTabs(kind)
    .find(({ label }) => label === tab)
    ?.fields.map(({ path }) => path.join('.')) ?? []

describe('the tabs', () => {
  test.each([
    ['Column', ['General', 'Chart Area', 'H-Axis', 'V-Axis', 'Legend']],
    ['Bar', ['General', 'Chart Area', 'H-Axis', 'V-Axis', 'Legend']],
    ['Line', ['General', 'Chart Area', 'H-Axis', 'V-Axis', 'Legend']],
    ['Area', ['General', 'Chart Area', 'H-Axis', 'V-Axis', 'Legend']],
    ['Combo', ['General', 'Chart Area', 'H-Axis', 'V-Axis', 'Legend']],
    ['Pie', ['General', 'Chart Area', 'Pie', 'H-Axis', 'Legend']],
    ['Donut', ['General', 'Chart Area', 'Donut', 'H-Axis', 'Legend']],
    ['Geo', ['General', 'Geo', 'H-Axis', 'Legend']],
  ] as const)('of a %s chart', async (kind, tabs) => {
    open(kind)
    await screen.findByRole('dialog', { name: 'Chart Options' })
    expect(tabNames()).toEqual(tabs)
    expect(screen.getByRole('button', { name: 'Cancel' })).toBeVisible()
    expect(save()).toBeVisible()
  })

  test('show the options of the kind of chart', () => {
    const common = ['height', 'backgroundColor', 'fontName', 'fontSize', 'theme']
    const axes = [...common, 'axisTitlePosition', 'orientation']
    const lines = ['lineWidth', 'pointSize', 'pointShape']
    expect(fieldNames('Pie', 'General')).toEqual(common)
    expect(fieldNames('Column', 'General')).toEqual([...axes, 'isStacked', 'bars', 'series'])
    expect(fieldNames('Line', 'General')).toEqual([...axes, ...lines, 'pointsVisible', 'curveType', 'series'])
    expect(fieldNames('Area', 'General')).toEqual([
      ...axes,
      'isStacked',
      ...lines,
      'pointsVisible',
      'curveType',
      'series',
    ])
    expect(fieldNames('Combo', 'General')).toEqual([
      ...axes,
      'seriesType',
      'isStacked',
      'bars',
      ...lines,
      'pointsVisible',
      'curveType',
      'series',
    ])
    const area = ['left', 'top', 'right', 'bottom', 'width', 'height', 'backgroundColor'].map(
      (name) => `chartArea.${name}`,
    )
    expect(fieldNames('Column', 'Chart Area')).toEqual(area)
    const geo = ['region', 'displayMode', 'resolution', 'datalessRegionColor', 'defaultColor', 'keepAscpectRatio']
    expect(fieldNames('Geo', 'Geo')).toEqual([...geo, 'geochartVersion', 'regioncoderVersion', ...area])
    const pie = ['is3D', 'pieSliceText', 'pieStartAngle', 'sliceVisibilityThreshold', 'reverseCategories']
    const slices = ['pieResidueSliceColor', 'pieResidueSliceLabel', 'pieSliceBorderColor']
    expect(fieldNames('Pie', 'Pie')).toEqual([...pie, ...slices])
    expect(fieldNames('Donut', 'Donut')).toEqual(['pieHole', ...pie, ...slices])
    const axis = ['title', 'format', 'textPosition', 'gridlines.color', 'gridlines.count', 'gridlines.minSpacing']
    expect(fieldNames('Column', 'H-Axis')).toEqual([...axis.map((name) => `hAxis.${name}`), 'hAxes'])
    expect(fieldNames('Column', 'V-Axis')).toEqual([...axis.map((name) => `vAxis.${name}`), 'vAxes'])
    expect(fieldNames('Column', 'Legend')).toEqual(['legend.position', 'legend.alignment'])
    expect(fieldNames('Geo', 'Legend')).toEqual(['legend.position', 'legend.alignment', 'legend.numberFormat'])
  })
})

test('empty values are dropped on saving, and unknown options are kept', async () => {
  const { user, chart, onSave, onClose } = open('Column', {
    fontName: 'Georgia',
    hAxis: { title: 'Day', viewWindow: { min: 3 } },
    animation: { startup: true },
  })
  await user.clear(await screen.findByRole('textbox', { name: 'Font name' }))
  await user.clear(screen.getByRole('textbox', { name: 'Height' }))
  await user.type(screen.getByRole('textbox', { name: 'Height' }), '320')
  await user.click(screen.getByRole('tab', { name: 'H-Axis' }))
  await user.clear(screen.getByRole('textbox', { name: 'Title' }))
  await user.type(screen.getByRole('textbox', { name: 'Gridlines count' }), '4')
  await user.click(save())
  expect(onSave).toHaveBeenCalledExactlyOnceWith({
    height: 320,
    legend: { position: 'top' },
    colors: chart.options.colors,
    hAxis: { viewWindow: { min: 3 }, gridlines: { count: 4 } },
    animation: { startup: true },
  })
  expect(onClose).toHaveBeenCalledOnce()
})

test('an invalid value is reported at its field, its tab is marked, and Save opens that tab', async () => {
  const { user, onSave } = open('Column')
  await user.click(await screen.findByRole('tab', { name: 'V-Axis' }))
  await user.type(screen.getByRole('textbox', { name: 'Gridlines count' }), '0')
  expect(screen.getByRole('textbox', { name: 'Gridlines count' })).toBeInvalid()
  await user.click(screen.getByRole('tab', { name: 'Legend' }))
  expect(screen.getByRole('tab', { name: /^V-Axis.*has errors/ })).toBeVisible()
  expect(save()).toHaveAttribute('aria-disabled', 'true')
  await user.click(save())
  expect(onSave).not.toHaveBeenCalled()
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Gridlines count' })).toHaveFocus())
  await user.clear(screen.getByRole('textbox', { name: 'Gridlines count' }))
  expect(screen.getByRole('tab', { name: 'V-Axis' })).toBeVisible()
  expect(save()).not.toHaveAttribute('aria-disabled')
})

test('the hole of a donut is greater than 0 and less than 1', async () => {
  const { user, onSave } = open('Donut')
  await user.click(await screen.findByRole('tab', { name: 'Donut' }))
  const hole = screen.getByRole('textbox', { name: 'Pie hole' })
  expect(hole).toHaveValue('0.3')
  for (const wrong of ['1', '0', '1.5']) {
    await user.clear(hole)
    await user.type(hole, wrong)
    expect(hole).toHaveAccessibleDescription(/Value should be greater than 0 and less than 1!/)
  }
  await user.clear(hole)
  expect(hole).toBeInvalid()
  await user.type(hole, '0.6')
  await user.keyboard('{ArrowUp}')
  expect(hole).toHaveValue('0.7')
  await user.click(save())
  expect(onSave.mock.calls[0]?.[0].pieHole).toBe(0.7)
})

test('a region has a kind, and its code must match the kind', async () => {
  const { user, onSave } = open('Geo')
  await user.click(await screen.findByRole('tab', { name: 'Geo' }))
  const kind = screen.getByRole('combobox', { name: 'Region' })
  const code = screen.getByRole('combobox', { name: 'Region code' })
  const chooseKind = async (name: string): Promise<void> => {
    await user.click(kind)
    await user.click(await screen.findByRole('option', { name }))
  }
  expect(kind).toHaveValue('World')
  expect(code).toHaveValue('World (default)')
  for (const [name, wrong, message] of [
    ['Continent', '15', 'Continent code is invalid!'],
    ['Country', 'fr', 'Country code is invalid!'],
    ['US state', 'CA', 'US state code is invalid!'],
    ['World', ' or not', 'Value is invalid!'],
  ] as const) {
    await chooseKind(name)
    await user.type(code, wrong)
    expect(code).toHaveAccessibleDescription(new RegExp(message))
  }
  await user.clear(code)
  await user.type(code, 'World (default)')
  expect(code).toBeValid()
  await chooseKind('Country')
  expect(code).toHaveAccessibleDescription(/Value is required!/)
  await user.type(code, 'france')
  await user.click(await screen.findByRole('option', { name: 'FR France' }))
  await user.click(save())
  expect(onSave.mock.calls[0]?.[0].region).toBe('FR')
})

test('options for a single series are added, changed and removed', async () => {
  const { user, onSave } = open('Combo', { series: [{ color: 'teal', visibleInLegend: false }] })
  const first = await screen.findByRole('group', { name: 'Series 0' })
  expect(within(first).getByRole('textbox', { name: 'Colour' })).toHaveValue('teal')
  await user.click(screen.getByRole('button', { name: 'Add options of series 1' }))
  const second = screen.getByRole('group', { name: 'Series 1' })
  await user.type(within(second).getByRole('textbox', { name: 'Line width' }), '-1')
  expect(screen.getByRole('tab', { name: /^General.*has errors/ })).toBeVisible()
  await user.clear(within(second).getByRole('textbox', { name: 'Line width' }))
  await user.click(within(second).getByRole('combobox', { name: 'Type' }))
  await user.click(await screen.findByRole('option', { name: 'area' }))
  await user.click(screen.getByRole('button', { name: 'Add options of series 2' }))
  await user.click(screen.getByRole('button', { name: 'Remove Series 2' }))
  await user.click(save())
  expect(onSave.mock.calls[0]?.[0].series).toEqual({
    0: { color: 'teal', visibleInLegend: false },
    1: { type: 'area' },
  })
})

test('an invalid option that no tab shows is named', async () => {
  open('Pie', { vAxis: { title: 5 } })
  expect(await screen.findByRole('alert')).toHaveTextContent('vAxis.title: Enter text.')
  expect(save()).toHaveAttribute('aria-disabled', 'true')
})

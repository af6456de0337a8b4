import { chartEnums, ChartOptions } from '@portico/contract/dashboards/chart-options'
import { expect, test } from 'vitest'
import { optionSuggestions } from './option-suggestions.ts'

const { names, values } = optionSuggestions('Combo')
const namesAt = (...path: string[]): string[] => names(path).map(({ name }) => name)

test('suggested names are the option names of the contract, at every depth', () => {
  expect(namesAt()).toEqual(Object.keys(ChartOptions.shape))
  expect(namesAt('legend')).toEqual(['position', 'alignment', 'numberFormat'])
  expect(namesAt('hAxis', 'gridlines')).toEqual(['color', 'count', 'minSpacing'])
  expect(namesAt('series', '2')).toContain('targetAxisIndex')
  expect(namesAt('vAxes', '1', 'gridlines')).toContain('count')
  expect(namesAt('backgroundColor')).toEqual(['fill'])
  expect(namesAt('height')).toEqual([])
  expect(namesAt('unknown')).toEqual([])
})

test('suggested values are those allowed for the option, as JSON', () => {
  expect(values(['curveType'])).toEqual(['"none"', '"function"'])
  expect(values(['legend', 'position'])).toEqual([...chartEnums.legendPosition, 'left'].map((name) => `"${name}"`))
  expect(values(['is3D'])).toEqual(['true', 'false'])
  expect(values(['isStacked'])).toEqual(['true', 'false', '"false"', '"true"', '"percent"', '"relative"'])
  expect(values(['geochartVersion'])).toEqual(['10', '11'])
  expect(values(['series', '0', 'type'])).toContain('"candlesticks"')
  expect(values(['title'])).toEqual([])
})

test('a suggested name includes the start of its value and a description', () => {
  const suggestions = Object.fromEntries(names([]).map(({ name, ...rest }) => [name, rest]))
  expect(suggestions).toMatchObject({
    legend: { value: '{}' },
    colors: { value: '[]' },
    fontName: { value: '""', info: 'Font name' },
    height: { value: '', info: 'Height' },
    series: { value: '{}', info: 'Series' },
  })
  expect(names(['series', '0']).find(({ name }) => name === 'color')?.info).toBe('Colour')
})

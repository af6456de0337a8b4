import { describe, expect, test } from 'vitest'
import { chartEnums, ChartOptions, chartOptionMessages, regionKindOf, regionProblem } from './chart-options.ts'
import { optionProblems, withoutEmpty } from './option-problems.ts'

const problemsOf = (options: unknown): string[] =>
  optionProblems(options).map(({ path, message }) => `${path.join('.')}: ${message}`)

test('the messages match the specification', () => {
  expect(chartOptionMessages).toEqual({
    world: 'Value is invalid!',
    pieHole: 'Value should be greater than 0 and less than 1!',
    continent: 'Continent code is invalid!',
    country: 'Country code is invalid!',
    state: 'US state code is invalid!',
  })
})

test('the allowed values match the specification', () => {
  expect(chartEnums).toMatchObject({
    legendPosition: ['bottom', 'in', 'none', 'right', 'top'],
    alignment: ['start', 'center', 'end'],
    pointShape: ['circle', 'triangle', 'square', 'diamond', 'star', 'polygon'],
    isStacked: ['false', 'true', 'percent', 'relative'],
    curveType: ['none', 'function'],
    pieSliceText: ['percentage', 'value', 'label', 'none'],
    displayMode: ['auto', 'regions', 'markers', 'text'],
    resolution: ['countries', 'provinces', 'metros'],
    geochartVersion: [10, 11],
    regioncoderVersion: [0, 1],
    textPosition: ['out', 'in', 'none'],
    bars: ['vertical', 'horizontal'],
    seriesType: ['line', 'area', 'bars', 'candlesticks', 'steppedArea'],
    axisFormat: ['none', 'decimal', 'scientific', 'currency', 'percent', 'short', 'long', 'date'],
  })
})

describe('the hole of a pie', () => {
  test.each([0.1, 0.3, 0.9, 0.001])('accepts %d', (pieHole) => expect(problemsOf({ pieHole })).toEqual([]))
  test.each([0, 1, -0.1, 1.5])('refuses %d', (pieHole) =>
    expect(problemsOf({ pieHole })).toEqual(['pieHole: Value should be greater than 0 and less than 1!']),
  )
})

describe('a region', () => {
  test.each([
    ['world', 'world'],
    ['world', 'World (default)'],
    ['continent', '150'],
    ['country', 'FR'],
    ['state', 'US-CA'],
  ] as const)('as %s may be %s', (kind, code) => {
    expect(regionKindOf(code)).toBe(kind)
    expect(regionProblem(kind, code)).toBeNull()
    expect(problemsOf({ region: code })).toEqual([])
  })
  test.each([
    ['world', 'Earth', 'Value is invalid!'],
    ['world', 'world (default)', 'Value is invalid!'],
    ['continent', '15', 'Continent code is invalid!'],
    ['continent', '1500', 'Continent code is invalid!'],
    ['country', 'fr', 'Country code is invalid!'],
    ['country', 'FRA', 'Country code is invalid!'],
    ['state', 'US-C', 'US state code is invalid!'],
    ['state', 'US-ca', 'US state code is invalid!'],
  ] as const)('as %s cannot be %s: %s', (kind, code, message) => {
    expect(regionProblem(kind, code)).toBe(message)
    expect(problemsOf({ region: code })).toEqual([`region: ${message}`])
  })
  test('must match the chosen kind', () => {
    expect(regionProblem('continent', 'FR')).toBe('Continent code is invalid!')
    expect(regionProblem('country', '150')).toBe('Country code is invalid!')
    expect(regionProblem('state', 'CA')).toBe('US state code is invalid!')
    expect(regionProblem('world', 'FR')).toBe('Value is invalid!')
  })
})

describe('numbers', () => {
  test.each(['height', 'fontSize', 'lineWidth', 'pointSize', 'pieStartAngle'])('%s is at least 0', (name) => {
    expect(problemsOf({ [name]: 0 })).toEqual([])
    expect(problemsOf({ [name]: -1 })).toEqual([expect.stringMatching(`^${name}: Enter a number`)])
    expect(problemsOf({ [name]: 'much' })).toEqual([`${name}: Enter a number.`])
  })
  test.each(['left', 'top', 'right', 'bottom', 'width', 'height'])(
    'chartArea.%s is at least 0, or a percentage',
    (name) => {
      for (const value of [0, 12.5, '80%']) expect(problemsOf({ chartArea: { [name]: value } })).toEqual([])
      expect(problemsOf({ chartArea: { [name]: -1 } })).toEqual([`chartArea.${name}: Enter a number of at least 0.`])
      expect(problemsOf({ chartArea: { [name]: 'wide' } })).toEqual([
        `chartArea.${name}: Enter a number, or a share such as 80%.`,
      ])
    },
  )
  test.each(['hAxis', 'vAxis'])('gridlines of %s: count at least 1, spacing at least 0', (axis) => {
    expect(problemsOf({ [axis]: { gridlines: { count: 1, minSpacing: 0 } } })).toEqual([])
    expect(problemsOf({ [axis]: { gridlines: { count: 0, minSpacing: -1 } } })).toEqual([
      expect.stringMatching(`^${axis}.gridlines.count: Enter a number`),
      `${axis}.gridlines.minSpacing: Enter a number of at least 0.`,
    ])
    expect(problemsOf({ [axis]: { gridlines: { count: 1.5 } } })).toEqual([
      `${axis}.gridlines.count: Enter a whole number.`,
    ])
  })
  test('the threshold for a separate slice is at least 0.0014', () => {
    expect(problemsOf({ sliceVisibilityThreshold: 0.0014 })).toEqual([])
    expect(problemsOf({ sliceVisibilityThreshold: 0.0013 })).toEqual([
      'sliceVisibilityThreshold: Enter a number from 0.0014 to 1.',
    ])
  })
})

test.each([
  [{ legend: { position: 'middle' } }, 'legend.position: Enter '],
  [{ legend: { alignment: 'left' } }, 'legend.alignment: Enter "start", "center" or "end".'],
  [{ isStacked: 'yes' }, 'isStacked: Enter "false", "true", "percent" or "relative".'],
  [{ curveType: 'round' }, 'curveType: Enter "none" or "function".'],
  [{ geochartVersion: 12 }, 'geochartVersion: Enter 10 or 11.'],
  [{ regioncoderVersion: 2 }, 'regioncoderVersion: Enter 0 or 1.'],
  [{ keepAscpectRatio: 'yes' }, 'keepAscpectRatio: Enter true or false.'],
])('%j is refused: %s', (options, problem) => {
  expect(problemsOf(options)).toEqual([expect.stringMatching(problem.replaceAll('.', '\\.'))])
})

test('a problem names the exact option, even if it has several forms', () => {
  expect(problemsOf({ backgroundColor: '#12' })).toEqual(['backgroundColor: Enter a colour, such as #1971c2 or teal.'])
  expect(problemsOf({ backgroundColor: { fill: 'no colour' } })).toEqual([
    'backgroundColor.fill: Enter a colour, such as #1971c2 or teal.',
  ])
  expect(problemsOf({ series: { 2: { color: '#12', pointSize: -1 } } })).toEqual([
    'series.2.color: Enter a colour, such as #1971c2 or teal.',
    'series.2.pointSize: Enter a number of at least 0.',
  ])
  expect(problemsOf({ series: [{}, { type: 'pie' }] })).toEqual([
    expect.stringMatching(/^series\.1\.type: Enter "line"/),
  ])
  expect(problemsOf({ vAxes: { 1: { gridlines: { count: 0 } } } })).toHaveLength(1)
})

test('empty values are dropped at any depth; all others, even with unknown names, are kept', () => {
  const options = {
    height: 0,
    title: '',
    legend: { position: '', alignment: null },
    hAxis: { title: 'Day', gridlines: { color: '' } },
    series: [{ color: '' }, { color: 'teal' }],
    pointsVisible: false,
    animation: { startup: true },
  }
  const kept = {
    height: 0,
    hAxis: { title: 'Day' },
    series: [{}, { color: 'teal' }],
    pointsVisible: false,
    animation: { startup: true },
  }
  expect(withoutEmpty(options)).toEqual(kept)
  expect(ChartOptions.parse(kept)).toEqual(kept)
})

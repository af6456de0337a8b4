import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import { expect, test } from 'vitest'
import { looks as testLooks } from '#test/charts.ts'
import { keysOfPick } from '../options/keys-of-pick.ts'
import { geoChart } from './geo-chart.ts'
import type { LoadedMap } from './load-map.ts'
import { mapPlan } from './map-plan.ts'
import { flat } from './projections.ts'

const looks = { ...testLooks, colors: ['#0000ff'] }
const map: LoadedMap = {
  name: 'test',
  shapes: { type: 'FeatureCollection', features: [] },
  projection: flat,
  middles: new Map([
    ['FR', [2, 46]],
    ['DE', [10, 51]],
    ['NL', [5, 52]],
  ]),
  placeOf: ([east, north]) => [east * 10, north * 10],
}
const key = { name: 'Country', field: 'Country', part: null, type: 'string' } as const
const grouping: Grouping = { keys: [key], values: ['n'], sums: ['n'] }
const rows: Row[] = [
  { Country: 'France', n: 100 },
  { Country: 'de', n: 25 },
  { Country: 'NLD', n: null },
  { Country: 'DEU', n: 15 },
]

const drawingOf = (options: ChartOptions, more: { grouping?: Grouping; rows?: Row[]; chosen?: string[][] } = {}) =>
  geoChart({ kind: 'Geo', grouping, rows, ...more, options }, mapPlan(options), map)
const drawn = (options: ChartOptions, more?: Parameters<typeof drawingOf>[1]) =>
  drawingOf(options, more).options(looks, { width: 1, height: 1 }) as never as {
    series: [{ data: object[] }]
    geo: object
    visualMap: { formatter: (value: number) => string }
  }

const table: [string, ChartOptions, object][] = [
  [
    'regions',
    {},
    {
      series: [
        {
          type: 'map',
          map: 'test',
          preserveAspect: 'contain',
          roam: false,
          data: [
            { name: 'FR', value: 100 },
            { name: 'DE', value: 40 },
            { name: 'NL', value: '-' },
          ],
        },
      ],
    },
  ],
  ['displayMode auto', { displayMode: 'auto' }, { series: [{ type: 'map' }] }],
  ['displayMode regions', { displayMode: 'regions' }, { series: [{ type: 'map' }] }],
  [
    'displayMode markers',
    { displayMode: 'markers' },
    {
      geo: { map: 'test', silent: true },
      series: [
        {
          type: 'scatter',
          data: [{ value: [2, 46, 100], symbolSize: 28 }, { value: [10, 51, 40] }, { value: [5, 52, '-'] }],
        },
      ],
    },
  ],
  [
    'displayMode text',
    { displayMode: 'text' },
    {
      series: [{ type: 'scatter', data: [{ label: { show: true, fontSize: 17 }, itemStyle: { opacity: 0 } }, {}, {}] }],
      visualMap: { show: false },
    },
  ],
  [
    'colorAxis',
    { colorAxis: { colors: ['#ffffff', '#ff0000'], minValue: 5, maxValue: 50 } },
    { visualMap: { min: 5, max: 50, inRange: { color: ['#ffffff', '#ff0000'] } } },
  ],
  ['the usual colours', {}, { visualMap: { min: 0, max: 100, inRange: { color: ['#ccccff', '#0000ff'] } } }],
  ['colors', { colors: ['#ff0000'] }, { visualMap: { inRange: { color: ['#ffcccc', '#ff0000'] } } }],
  ['datalessRegionColor', { datalessRegionColor: '#eeeeee' }, { series: [{ itemStyle: { areaColor: '#eeeeee' } }] }],
  [
    'regions without a value',
    { defaultColor: '#00ff00' },
    { series: [{ data: [{}, {}, { itemStyle: { areaColor: '#00ff00' } }] }] },
  ],
  [
    'markers without a value',
    { defaultColor: '#00ff00', displayMode: 'markers' },
    { series: [{ data: [{}, {}, { itemStyle: { color: '#00ff00' } }] }] },
  ],
  ['legend.position top', {}, { visualMap: { orient: 'horizontal', top: 0, left: 'center', text: ['100', '0'] } }],
  [
    'legend.position bottom',
    { legend: { position: 'bottom', alignment: 'start' } },
    { visualMap: { orient: 'horizontal', bottom: 0, left: 'left' } },
  ],
  [
    'legend.position right',
    { legend: { position: 'right', alignment: 'end' } },
    { visualMap: { orient: 'vertical', right: 0, top: 'bottom' } },
  ],
  ['legend.position in', { legend: { position: 'in' } }, { visualMap: { bottom: 8, left: 12 } }],
  ['legend.position none', { legend: { position: 'none' } }, { visualMap: { show: false } }],
  ['legend.numberFormat', { legend: { numberFormat: '0.00' } }, { visualMap: { text: ['100.00', '0.00'] } }],
  ['versions are stored only', { geochartVersion: 11, regioncoderVersion: 1 }, { series: [{ type: 'map' }] }],
]

test.each(table)('%s', (_, options, parts) => {
  expect(drawn(options)).toMatchObject(parts)
})

test.each([{ keepAspectRatio: false }, { keepAscpectRatio: false }])('%j allows the map to stretch', (options) => {
  expect(drawn(options).series[0]).not.toHaveProperty('preserveAspect')
})

test('a region combines all groups that name it', () => {
  const { values } = drawingOf({})
  expect(values.map(({ text, keys }) => [text, keys])).toEqual([
    ['France: 100', [['France']]],
    ['Germany: 40', [['de'], ['DEU']]],
    ['Netherlands: no number', [['NLD']]],
  ])
  expect(keysOfPick(drawingOf({}), { kind: 'value', series: 0, index: 1 })).toEqual([['de'], ['DEU']])
})

test('where values cannot be summed, the region shows the largest and a note says so', () => {
  const { values, notes } = drawingOf({}, { grouping: { ...grouping, sums: [] } })
  expect(values[1]?.text).toBe('Germany: 25')
  expect(notes).toEqual(['Where several groups are in one region, the largest n is shown.'])
})

test('notes list unknown region names and count the groups outside the map', () => {
  const more = ['Atlantis', 'Lemuria', 'Mordor', 'Thule', 'Japan', '<b>'].map((Country) => ({ Country, n: 1 }))
  expect(drawingOf({ region: '155' }, { rows: [...rows, ...more] }).notes).toEqual([
    'No known region: Atlantis, Lemuria, Mordor and 2 more.',
    '1 group outside this map.',
  ])
  expect(drawingOf({}, { rows: [{ Country: 'Japan', n: 1 }] }).notes).toEqual([
    '1 region is too far off or too small for this map.',
  ])
})

test('selected regions are highlighted', () => {
  expect(drawn({}, { chosen: [['DEU']] }).series[0].data).toMatchObject([
    { itemStyle: { opacity: 0.25 } },
    { itemStyle: { opacity: 1 } },
    { itemStyle: { opacity: 0.25 } },
  ])
})

test('coordinates as keys are drawn as markers in their position', () => {
  const places: Grouping = {
    keys: ['Latitude', 'Longitude'].map((name) => ({ name, field: name, part: null, type: 'number' })),
    values: ['n'],
    sums: ['n'],
  }
  const at: Row[] = [
    { Latitude: 47, Longitude: 8, n: 4 },
    { Latitude: null, Longitude: 8, n: 4 },
  ]
  const { values } = drawingOf({}, { grouping: places, rows: at })
  expect(values.map(({ text, keys }) => [text, keys])).toEqual([['47°, 8°: 4', [[47, 8]]]])
  expect(drawn({}, { grouping: places, rows: at }).series[0].data).toMatchObject([{ value: [80, 470, 4] }])
})

import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import { expect, test } from 'vitest'
import { byCity, byMonth, cityRows, looks, monthRows } from '#test/charts.ts'
import { axisChart } from './axis-chart.ts'
import type { AxisKind, ChartInput } from './chart-input.ts'

const drawingOf = (options: ChartOptions, kind: AxisKind = 'Column', more: Partial<ChartInput> = {}) =>
  axisChart({ grouping: byMonth, rows: monthRows, ...more, kind, options }, 'UTC')

// Options are checked by parts; their whole type is the engine's.
type Loose = Record<string, never>
const drawn = (options: ChartOptions, kind?: AxisKind, more?: Partial<ChartInput>): Loose =>
  drawingOf(options, kind, more).options(looks, { width: 470, height: 270 }) as Loose

/** Options of a chart, parts of the engine's, and where: the first series, the axes and so on. */
const table: [string, ChartOptions, unknown, AxisKind?][] = [
  ['title', { title: 'A {title}' }, { title: { text: 'A  title ' } }],
  ['backgroundColor', { backgroundColor: '#000000' }, { backgroundColor: '#000000', textStyle: { color: '#dbe1ea' } }],
  ['backgroundColor as an object', { backgroundColor: { fill: '#eeeeee' } }, { backgroundColor: '#eeeeee' }],
  ['colors', { colors: ['#ff0000', 'teal'] }, { color: ['#ff0000', 'teal'] }],
  [
    'fontName and fontSize',
    { fontName: 'Arial', fontSize: 15 },
    {
      textStyle: { fontFamily: 'Arial, font', fontSize: 15 },
      xAxis: { axisLabel: { fontSize: 15 } },
      legend: { textStyle: { fontSize: 15 } },
    },
  ],
  ['legend on top by itself', {}, { legend: { orient: 'horizontal', top: 0, left: 'center' }, grid: { top: 38 } }],
  [
    'legend.position bottom',
    { legend: { position: 'bottom' } },
    { legend: { orient: 'horizontal', bottom: 0 }, grid: { bottom: 34, top: 10 } },
  ],
  [
    'legend.position left',
    { legend: { position: 'left' } },
    { legend: { orient: 'vertical', left: 0, top: 'top' }, grid: { left: 148 } },
  ],
  [
    'legend.position right',
    { legend: { position: 'right' } },
    { legend: { orient: 'vertical', right: 0 }, grid: { right: 152 } },
  ],
  ['legend.position in', { legend: { position: 'in' } }, { legend: { orient: 'vertical', left: 60, top: 24 } }],
  ['legend.position none', { legend: { position: 'none' } }, { legend: { show: false }, grid: { top: 10 } }],
  ['legend.alignment start', { legend: { alignment: 'start' } }, { legend: { left: 'left' } }],
  ['legend.alignment end', { legend: { alignment: 'end' } }, { legend: { left: 'right' } }],
  [
    'legend.alignment of a vertical one',
    { legend: { position: 'right', alignment: 'center' } },
    { legend: { top: 'middle' } },
  ],
  [
    'legend.alignment at the end of a vertical one',
    { legend: { position: 'right', alignment: 'end' } },
    { legend: { top: 'bottom' } },
  ],
  [
    'chartArea',
    { chartArea: { left: 5, top: '10%', right: 7, bottom: 8 } },
    { grid: { left: 5, top: '10%', right: 7, bottom: 8 } },
  ],
  [
    'chartArea.backgroundColor',
    { chartArea: { backgroundColor: '#eeeeee' } },
    { grid: { show: true, backgroundColor: '#eeeeee', borderWidth: 0 } },
  ],
  ['hAxis.title', { hAxis: { title: 'Month' } }, { xAxis: { name: 'Month', nameLocation: 'middle' } }],
  ['vAxis.title', { vAxis: { title: 'Count' } }, { yAxis: [{ name: 'Count', nameLocation: 'middle' }] }],
  [
    'axisTitlePosition in',
    { vAxis: { title: 'Count' }, axisTitlePosition: 'in' },
    { yAxis: [{ name: 'Count', nameGap: -16, z: 5 }] },
  ],
  [
    'vAxis.textPosition in',
    { vAxis: { textPosition: 'in' } },
    { yAxis: [{ z: 5, axisLabel: { show: true, inside: true } }] },
  ],
  [
    'vAxis.textPosition out',
    { vAxis: { textPosition: 'out' } },
    { yAxis: [{ axisLabel: { show: true, inside: false } }] },
  ],
  ['hAxis.textPosition none', { hAxis: { textPosition: 'none' } }, { xAxis: { axisLabel: { show: false } } }],
  [
    'gridlines.count',
    { vAxis: { gridlines: { count: 5 } } },
    { yAxis: [{ splitNumber: 4, splitLine: { show: true } }] },
  ],
  ['gridlines.count of 1', { vAxis: { gridlines: { count: 1 } } }, { yAxis: [{ splitLine: { show: false } }] }],
  [
    'gridlines.color',
    { vAxis: { gridlines: { color: '#ff0000' } } },
    { yAxis: [{ splitLine: { lineStyle: { color: '#ff0000' } } }] },
  ],
  [
    'gridlines.count of the groups',
    { hAxis: { gridlines: { count: 2 } } },
    { xAxis: { splitLine: { show: true, interval: 0 } } },
  ],
  [
    'gridlines of the second axis',
    { series: [{}, { targetAxisIndex: 1 }], vAxes: [{}, { gridlines: { color: '#ff0000' } }] },
    { yAxis: [{}, { splitLine: { show: true, lineStyle: { color: '#ff0000' } } }] },
  ],
  ['gridlines.minSpacing', { vAxis: { gridlines: { minSpacing: 50 } } }, { yAxis: [{ splitNumber: 4 }] }],
  [
    'gridlines of the groups',
    { hAxis: { gridlines: { color: '#ff0000', count: 1 } } },
    { xAxis: { splitLine: { show: true, lineStyle: { color: '#ff0000' } }, axisLabel: { interval: 1 } } },
  ],
  ['a few groups, which all have their label', {}, { xAxis: { axisLabel: { interval: 0, hideOverlap: true } } }],
  ['minValue and maxValue', { vAxis: { minValue: 5, maxValue: 50 } }, { yAxis: [{ min: 5, max: 50 }] }],
  ['logScale', { vAxis: { logScale: true } }, { yAxis: [{ type: 'log' }] }],
  [
    'targetAxisIndex',
    { series: { 1: { targetAxisIndex: 1 } }, vAxes: { 1: { title: 'Second', minValue: 0 } } },
    {
      yAxis: [{ type: 'value' }, { name: 'Second', position: 'right', min: 0 }],
      series: [{ yAxisIndex: 0 }, { yAxisIndex: 1 }],
    },
  ],
  ['vAxes as a list', { vAxes: [{ title: 'First' }] }, { yAxis: [{ name: 'First' }] }],
  ['hAxes', { hAxes: [{ title: 'First' }] }, { xAxis: { name: 'First' } }],
  [
    'a bar chart',
    { hAxis: { title: 'Count' }, vAxis: { title: 'Month' } },
    {
      xAxis: [{ type: 'value', name: 'Count' }],
      yAxis: { type: 'category', inverse: true, name: 'Month' },
      series: [{ type: 'bar', xAxisIndex: 0 }],
    },
    'Bar',
  ],
  ['bars vertical', { bars: 'vertical' }, { xAxis: { type: 'category' } }, 'Bar'],
  ['bars horizontal', { bars: 'horizontal' }, { yAxis: { type: 'category' } }],
  ['orientation vertical', { orientation: 'vertical' }, { yAxis: { type: 'category' } }, 'Line'],
  ['orientation horizontal', { orientation: 'horizontal' }, { xAxis: { type: 'category' } }, 'Bar'],
  ['isStacked', { isStacked: true }, { series: [{ stack: 'bars 0' }, { stack: 'bars 0' }] }],
  ['isStacked as a text', { isStacked: 'true' }, { series: [{ stack: 'areas 0' }, { stack: 'areas 0' }] }, 'Area'],
  [
    'isStacked percent',
    { isStacked: 'percent' },
    { yAxis: [{ max: 1 }], series: [{ data: [0.8, 1] }, { data: [0.2, 0] }] },
  ],
  [
    'isStacked relative',
    { isStacked: 'relative' },
    { yAxis: [{ max: 1 }], series: [{ data: [0.8, 1] }, { data: [0.2, 0] }] },
  ],
  ['lineWidth', { lineWidth: 5 }, { series: [{ lineStyle: { width: 5 } }] }, 'Line'],
  ['pointSize', { pointSize: 9 }, { series: [{ symbolSize: 9, showSymbol: true }] }, 'Line'],
  ['no points', {}, { series: [{ showSymbol: false }] }, 'Line'],
  ['pointsVisible', { pointsVisible: true }, { series: [{ showSymbol: true }] }, 'Line'],
  ['pointsVisible false', { pointsVisible: false, pointSize: 5 }, { series: [{ showSymbol: false }] }, 'Line'],
  ['pointShape circle', { pointShape: 'circle' }, { series: [{ symbol: 'circle' }] }, 'Line'],
  ['pointShape triangle', { pointShape: 'triangle' }, { series: [{ symbol: 'triangle' }] }, 'Line'],
  ['pointShape square', { pointShape: 'square' }, { series: [{ symbol: 'rect' }] }, 'Line'],
  ['pointShape diamond', { pointShape: 'diamond' }, { series: [{ symbol: 'diamond' }] }, 'Line'],
  [
    'pointShape star',
    { pointShape: 'star' },
    { series: [{ symbol: expect.stringMatching(/^path:/) as unknown }] },
    'Line',
  ],
  [
    'pointShape polygon',
    { pointShape: 'polygon' },
    { series: [{ symbol: expect.stringMatching(/^path:/) as unknown }] },
    'Line',
  ],
  ['curveType function', { curveType: 'function' }, { series: [{ smooth: 0.35 }] }, 'Line'],
  ['curveType none', { curveType: 'none' }, { series: [{ smooth: false }] }, 'Line'],
  [
    'an area chart',
    {},
    { xAxis: { boundaryGap: false }, series: [{ type: 'line', areaStyle: { opacity: 0.32 } }] },
    'Area',
  ],
  ['a combination', {}, { series: [{ type: 'bar' }, { type: 'line' }] }, 'Combo'],
  ['seriesType line', { seriesType: 'line' }, { series: [{ type: 'line' }, { type: 'line' }] }, 'Combo'],
  ['seriesType area', { seriesType: 'area' }, { series: [{ type: 'line', areaStyle: {} }] }, 'Combo'],
  ['seriesType bars', { seriesType: 'bars' }, { series: [{ type: 'bar' }, { type: 'bar' }] }, 'Combo'],
  [
    'seriesType steppedArea',
    { seriesType: 'steppedArea' },
    { series: [{ type: 'line', step: 'middle', areaStyle: {} }] },
    'Combo',
  ],
  [
    'seriesType candlesticks without four values',
    { seriesType: 'candlesticks' },
    { series: [{ type: 'bar' }, { type: 'bar' }] },
    'Combo',
  ],
  [
    'series',
    {
      series: {
        1: { type: 'area', color: '#ff0000', lineWidth: 4, pointSize: 8, pointShape: 'square', curveType: 'function' },
      },
    },
    {
      series: [
        { type: 'bar' },
        {
          type: 'line',
          symbol: 'rect',
          symbolSize: 8,
          smooth: 0.35,
          lineStyle: { width: 4, color: '#ff0000' },
          areaStyle: { color: '#ff0000' },
        },
      ],
    },
    'Combo',
  ],
  ['series as a list', { series: [{ color: '#00ff00' }] }, { series: [{ itemStyle: { color: '#00ff00' } }] }],
  [
    'theme maximized',
    { theme: 'maximized', title: 'T', vAxis: { title: 'V' } },
    {
      grid: { left: 0, top: 0, right: 0, bottom: 0 },
      legend: { orient: 'vertical', left: 60 },
      yAxis: [{ axisLabel: { inside: true } }],
    },
  ],
]

test.each(table)('%s', (_, options, parts, kind) => {
  expect(drawn(options, kind)).toMatchObject(ofTwo(parts as { series?: object[] }))
})

/** There are two series, of which the table names the first where the second adds nothing. */
const ofTwo = ({ series, ...parts }: { series?: object[] }): object =>
  series ? { ...parts, series: [...series, {}].slice(0, 2) } : parts

test('the width or height of the chart area overrides the opposite margin', () => {
  const { grid } = drawn({ chartArea: { width: '80%', height: 100, right: 5, bottom: 5 } })
  expect(grid).toMatchObject({ width: '80%', height: 100 })
  expect(grid).not.toHaveProperty('right')
  expect(grid).not.toHaveProperty('bottom')
})

test('axis titles can be turned off', () => {
  expect(drawn({ vAxis: { title: 'V' }, axisTitlePosition: 'none' })).not.toHaveProperty('yAxis.0.name')
  expect(drawn({ vAxis: { title: 'V' }, theme: 'maximized', title: 'T' })).not.toHaveProperty('title')
})

test('four values are drawn as candles: low, open, close and high', () => {
  const drawing = drawingOf({ seriesType: 'candlesticks' }, 'Combo', { grouping: byCity, rows: cityRows })
  expect(drawing.needsMore).toBe(true)
  expect(drawing.options(looks, { width: 1, height: 1 })).toMatchObject({
    series: [
      {
        type: 'candlestick',
        name: 'low – high',
        data: [
          [2, 3, 1, 4],
          [7, 6, 5, 8],
        ],
      },
    ],
  })
  expect(drawing.values[0]?.text).toBe('Oslo, low – high: low 1, open 2, close 3, high 4')
})

import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import { describe, expect, test } from 'vitest'
import { byMonth, looks, monthRows } from '#test/charts.ts'
import { axisChart } from './axis-chart.ts'
import type { AxisKind, ChartInput } from './chart-input.ts'

const drawingOf = (options: ChartOptions, kind: AxisKind = 'Column', more: Partial<ChartInput> = {}) =>
  axisChart({ grouping: byMonth, rows: monthRows, ...more, kind, options }, 'UTC')

// Options are checked by parts; their whole type is the engine's.
const drawn = (options: ChartOptions, kind?: AxisKind, more?: Partial<ChartInput>): Record<string, never> =>
  drawingOf(options, kind, more).options(looks, { width: 470, height: 270 }) as Record<string, never>

describe('axis labels', () => {
  const label = (options: ChartOptions, value: number): string => {
    const { yAxis } = drawn(options) as unknown as { yAxis: { axisLabel: { formatter: (value: number) => string } }[] }
    return yAxis[0]?.axisLabel.formatter(value) ?? ''
  }

  test.each([
    [{}, 18_000, '18K'],
    [{ vAxis: { format: 'currency' } }, 1200, '$1,200'],
    [{ vAxis: { format: '#,##0.0' } }, 1200, '1,200.0'],
    [{ isStacked: 'percent' }, 0.25, '25%'],
    [{ isStacked: 'relative' }, 0.25, '0.25'],
    [{ isStacked: 'relative', vAxis: { format: 'percent' } }, 0.25, '25%'],
  ] as [ChartOptions, number, string][])('%j formats %d as %s', (options, value, text) => {
    expect(label(options, value)).toBe(text)
  })

  test('dates use the time zone and the format of the axis', () => {
    const grouping: Grouping = { ...byMonth, keys: [{ name: 'D', field: 'Joined', part: null, type: 'date' }] }
    const rows = [{ D: '2026-01-31T23:30:00.000Z', n: 1 }]
    const drawing = axisChart({ kind: 'Line', options: { hAxis: { format: 'MMM d' } }, grouping, rows }, 'Asia/Tokyo')
    const { xAxis } = drawing.options(looks, { width: 1, height: 1 }) as never as {
      xAxis: { axisLabel: { formatter: (place: string) => string } }
    }
    expect(xAxis.axisLabel.formatter('0')).toBe('Feb 1')
  })

  test.each([
    ['date', '1/31/2026'],
    ['short', '1/31/26'],
    ['long', 'January 31, 2026'],
  ])('dates in the format %s', (format, text) => {
    const grouping: Grouping = { ...byMonth, keys: [{ name: 'D', field: 'Born', part: null, type: 'day' }] }
    const { xAxis } = drawn({ hAxis: { format } }, 'Line', {
      grouping,
      rows: [{ D: '2026-01-31', n: 1 }],
    }) as never as {
      xAxis: { axisLabel: { formatter: (place: string) => string } }
    }
    expect(xAxis.axisLabel.formatter('0')).toBe(text)
  })

  test('numbers are never written as dates, and the chart says so', () => {
    for (const format of ['date', 'M/d/yyyy']) {
      expect(label({ vAxis: { format } }, 1200)).toBe('1,200')
      expect(drawingOf({ vAxis: { format } }).notes).toEqual([
        'Values are numbers: the date format of their axis is left out.',
      ])
    }
    expect(drawingOf({ vAxis: { format: '#,##0 d' } }).notes).toEqual([])
  })

  test('the currency of an axis is that of its values', () => {
    const formats = { n: { style: 'currency', decimals: null, currency: 'EUR' } } as const
    const more = { grouping: { ...byMonth, values: ['n'], sums: ['n'], formats } }
    const { yAxis } = drawn({ vAxis: { format: 'currency' } }, 'Column', more) as never as {
      yAxis: { axisLabel: { formatter: (value: number) => string } }[]
    }
    expect(yAxis[0]?.axisLabel.formatter(1200)).toBe('€1.2K')
  })

  test('days use the format of the axis, in any time zone', () => {
    const grouping: Grouping = { ...byMonth, keys: [{ name: 'D', field: 'Born', part: null, type: 'day' }] }
    const rows = [
      { D: '2026-02-01', n: 1 },
      { D: '2026-01-31', n: 1 },
    ]
    const chart = { kind: 'Line', options: { hAxis: { format: 'MMM d' } }, grouping, rows } as const
    for (const zone of ['Asia/Tokyo', 'America/Los_Angeles']) {
      const { xAxis } = axisChart(chart, zone).options(looks, { width: 1, height: 1 }) as never as {
        xAxis: { axisLabel: { formatter: (place: string) => string } }
      }
      expect(['0', '1'].map(xAxis.axisLabel.formatter)).toEqual(['Jan 31', 'Feb 1'])
    }
  })

  test('months and days of the week are short', () => {
    const { xAxis } = drawn({}) as unknown as { xAxis: { axisLabel: { formatter: (place: string) => string } } }
    expect(xAxis.axisLabel.formatter('1')).toBe('Feb')
  })
})

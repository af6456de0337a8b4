import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { FieldFormat } from '@portico/domain/field-format'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import type { ChartInput, DrawnValue, Drawing } from '../options/chart-input.ts'
import { mix } from '../options/colors.ts'
import {
  areaOf,
  backgroundOf,
  commonOf,
  legendPlaceOf,
  looksOn,
  seriesColors,
  textOf,
  tooltipOf,
} from '../options/frame.ts'
import { type Marks, marksOf } from '../options/marks.ts'
import { numberFormat } from '../options/number-format.ts'
import { formatComputed, formatShort } from '../field-value.ts'
import { placesOfSmall } from './country-codes.ts'
import { geoDataOf, type GeoValue } from './geo-data.ts'
import type { LoadedMap } from './load-map.ts'
import type { MapPlan } from './map-plan.ts'

type Mode = 'markers' | 'regions' | 'text'

/** `values` are those with a place on the map. */
type Parts = {
  options: ChartOptions
  map: LoadedMap
  values: GeoValue[]
  mode: Mode
  marks: Marks
  format: FieldFormat | undefined
}

/** Draws values on a map: as colours of its regions, as markers, or as names. */
export function geoChart(input: ChartInput, plan: MapPlan, map: LoadedMap): Drawing {
  const { options, grouping, rows, chosen } = input
  const { values: all, arePlaces, notes } = geoDataOf(grouping, rows, plan)
  const mode = modeOf(options, arePlaces)
  const values = all.filter(({ code }) => code === null || map.middles.has(code))
  const marks = marksOf(
    chosen,
    values.map(({ keys }) => keys),
  )
  const format = grouping.formats?.[grouping.values[0] ?? '']
  const parts: Parts = { options, map, values, mode, marks, format }
  return {
    options: (looks) => optionsOf(parts, looks),
    values: values.map((each, index): DrawnValue => {
      return { series: 0, index, text: textOfValue(parts, each), keys: each.keys, isMarked: marks.isMarked(each.keys) }
    }),
    legend: [],
    categories: [],
    categoryAxis: null,
    isLine: false,
    needsMore: false,
    followsSize: false,
    notes: [...notes, ...missingNote(all.length - values.length)],
  }
}

function modeOf({ displayMode = 'auto' }: ChartOptions, arePlaces: boolean): Mode {
  if (displayMode === 'text') return 'text'
  return displayMode === 'markers' || arePlaces ? 'markers' : 'regions'
}

const missingNote = (count: number): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? 'region is' : 'regions are'} too far off or too small for this map.`]

const exact = numberFormat('decimal')

const textOfValue = ({ format }: Parts, { name, value }: GeoValue): string =>
  value === null ? `${name}: no number` : `${name}: ${format ? formatComputed(value, format) : exact(value)}`

function optionsOf(parts: Parts, pageLooks: ChartLooks) {
  const { options, values, mode } = parts
  const looks = looksOn(options, pageLooks)
  return {
    ...commonOf(options, looks, false),
    ...backgroundOf(options, boxOf(options)),
    tooltip: {
      ...tooltipOf(looks),
      trigger: 'item',
      formatter: ({ dataIndex = -1 }: { dataIndex?: number }) => {
        const value = values[dataIndex]
        return value ? textOfValue(parts, value) : ''
      },
    },
    visualMap: scaleOf(parts, looks),
    ...(mode === 'regions' ? regionsOf(parts, looks) : pointsOf(parts, looks)),
  }
}

const keepsAspect = ({ keepAspectRatio, keepAscpectRatio }: ChartOptions): boolean =>
  keepAspectRatio ?? keepAscpectRatio ?? true

/** Options that regions and markers have in common. */
function ground({ options, map }: Parts, looks: ChartLooks) {
  const { projection } = map
  return {
    map: map.name,
    projection,
    roam: false,
    selectedMode: false,
    ...boxOf(options),
    ...(keepsAspect(options) && { preserveAspect: 'contain' }),
    itemStyle: {
      areaColor: options.datalessRegionColor ?? looks.land,
      borderColor: looks.surface,
      borderWidth: 0.7,
    },
  }
}

/** A map has no labels of axes, so that it fills the place. */
function boxOf(options: ChartOptions) {
  const box = areaOf(options)
  return options.chartArea === undefined ? { ...box, left: 4, right: 4 } : box
}

function regionsOf(parts: Parts, looks: ChartLooks) {
  const { options, values, marks } = parts
  const known = new Set(values.map(({ code }) => code))
  // Dots of small countries are seen only where they have a value.
  const unseen = [...placesOfSmall.keys()].filter((code) => parts.map.name === 'world' && !known.has(code))
  return {
    series: [
      {
        type: 'map',
        ...ground(parts, looks),
        emphasis: {
          label: { show: false },
          itemStyle: { borderColor: looks.text, borderWidth: 1, areaColor: 'inherit' },
        },
        data: [
          ...values.map(({ code, value, keys }) => ({
            name: code,
            value: value ?? '-',
            itemStyle: {
              opacity: marks.opacityOf(keys),
              ...(value === null && { areaColor: options.defaultColor ?? looks.dimmed }),
            },
          })),
          ...unseen.map((code) => ({
            name: code,
            value: '-',
            itemStyle: { areaColor: 'transparent', borderWidth: 0 },
            emphasis: { disabled: true },
          })),
        ],
      },
    ],
  }
}

/** Pixels of the smallest and the largest marker, and of the smallest and the largest name. */
const markerSize = { from: 7, to: 28 }
const nameSize = { from: 10, to: 17 }

function pointsOf(parts: Parts, looks: ChartLooks) {
  const { options, map, values, mode, marks } = parts
  const most = Math.max(...values.map(({ value }) => Math.abs(value ?? 0)), 0)
  const size = (value: number | null, { from, to }: { from: number; to: number }): number =>
    from + (to - from) * Math.sqrt(most > 0 ? Math.abs(value ?? 0) / most : 0)
  return {
    geo: { ...ground(parts, looks), silent: true },
    series: [
      {
        type: 'scatter',
        coordinateSystem: 'geo',
        data: values.map(({ code, name, position, value, keys }) => {
          const place = position ? map.placeOf(position) : (map.middles.get(code ?? '') ?? [0, 0])
          const opacity = marks.opacityOf(keys)
          const color = value === null ? { color: options.defaultColor ?? looks.dimmed } : {}
          return {
            name,
            value: [...place, value ?? '-'],
            symbolSize: mode === 'text' ? 14 : size(value, markerSize),
            itemStyle: mode === 'text' ? { opacity: 0 } : { opacity: 0.85 * opacity, ...color },
            ...(mode === 'text' && {
              label: {
                ...textOf(options, looks),
                show: true,
                formatter: () => name,
                fontSize: size(value, nameSize),
                opacity,
                textBorderColor: looks.surface,
                textBorderWidth: 2,
              },
            }),
          }
        }),
      },
    ],
  }
}

/** The colours of values, and the legend that tells them. */
function scaleOf({ options, values, mode, format }: Parts, looks: ChartLooks) {
  const { colors, minValue, maxValue } = options.colorAxis ?? {}
  const numbers = values.flatMap(({ value }) => (value === null ? [] : [value]))
  const least = minValue ?? Math.min(0, ...numbers)
  const most = Math.max(maxValue ?? Math.max(...numbers, 0), least)
  const own = options.legend?.numberFormat
  const write = format && !own ? (value: number) => formatShort(value, format) : numberFormat(own ?? 'short')
  return {
    type: 'continuous',
    min: least,
    max: most > least ? most : least + 1,
    dimension: mode === 'regions' ? 0 : 2,
    inRange: { color: colors?.length ? colors : usualScale(options, looks) },
    outOfRange: {},
    calculable: false,
    formatter: (value: unknown) => write(Number(value)),
    text: [write(most), write(least)],
    itemWidth: 8,
    itemHeight: 90,
    textStyle: { ...textOf(options, looks, 11), color: looks.dimmed },
    ...scalePlace(options, numbers.length > 0 && mode !== 'text'),
  }
}

function usualScale(options: ChartOptions, looks: ChartLooks): string[] {
  const [color = looks.text] = seriesColors(options, looks)
  return [mix(looks.surface, color, looks.scheme === 'dark' ? 0.3 : 0.2), color]
}

const along = { start: 'left', center: 'center', end: 'right' } as const
const down = { start: 'top', center: 'middle', end: 'bottom' } as const

function scalePlace(options: ChartOptions, hasScale: boolean) {
  const place = options.theme === 'maximized' ? 'in' : legendPlaceOf(options)
  const { alignment = 'center' } = options.legend ?? {}
  if (place === 'none' || legendPlaceOf(options) === 'none' || !hasScale) return { show: false }
  const top = options.title ? 26 : 0
  if (place === 'top') return { orient: 'horizontal', top, left: along[alignment] }
  if (place === 'bottom') return { orient: 'horizontal', bottom: 0, left: along[alignment] }
  if (place === 'in') return { orient: 'horizontal', bottom: 8, left: 12 }
  return { orient: 'vertical', [place]: 0, top: down[alignment] }
}

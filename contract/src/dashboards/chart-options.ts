import { z } from 'zod'
import { messages } from '../messages.ts'

/** Values that options of charts choose from (specification 1 §9). */
export const chartEnums = {
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
  orientation: ['horizontal', 'vertical'],
  seriesType: ['line', 'area', 'bars', 'candlesticks', 'steppedArea'],
  axisFormat: ['none', 'decimal', 'scientific', 'currency', 'percent', 'short', 'long', 'date'],
} as const

/** Messages of the chart options (specification 1 §5). */
export const chartOptionMessages = {
  world: messages.invalid,
  pieHole: 'Value should be greater than 0 and less than 1!',
  continent: 'Continent code is invalid!',
  country: 'Country code is invalid!',
  state: 'US state code is invalid!',
} as const

/** A CSS color in one of the forms that the editor writes: a name, or `#` with 3, 4, 6 or 8 digits. */
export const Colour = z
  .string()
  .regex(/^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]{3,30})$/i, 'Enter a colour, such as #1971c2 or teal.')

/** Smallest share below which slices are summed (specification 1 §5). */
export const leastSlice = 0.0014
const sliceMessage = `Enter a number from ${leastSlice} to 1.`

const atLeast0 = z.number().min(0)
/** Pixels, or a share such as `'80%'`. */
const Extent = z.union([atLeast0, z.string().regex(/^\d+(?:\.\d+)?%$/, 'Enter a number, or a share such as 80%.')])
const Text = z.string().max(500)
const FontName = z.string().max(100)
// Colors of areas may be objects in Google's options; only their fill is used here.
const Fill = z.union([Colour, z.looseObject({ fill: Colour.optional() })])

const Gridlines = z.looseObject({
  color: Colour.optional(),
  count: z.number().int().min(1).optional(),
  minSpacing: atLeast0.optional(),
})

const Axis = z.looseObject({
  /** One of `axisFormat`, or a pattern such as `#,##0.00`. */
  format: Text.optional(),
  title: Text.optional(),
  textPosition: z.enum(chartEnums.textPosition).optional(),
  gridlines: Gridlines.optional(),
  minValue: z.number().optional(),
  maxValue: z.number().optional(),
  logScale: z.boolean().optional(),
})

const Series = z.looseObject({
  type: z.enum(chartEnums.seriesType).optional(),
  color: Colour.optional(),
  lineWidth: atLeast0.optional(),
  pointSize: atLeast0.optional(),
  pointShape: z.enum(chartEnums.pointShape).optional(),
  curveType: z.enum(chartEnums.curveType).optional(),
  targetAxisIndex: z.number().int().min(0).max(1).optional(),
})

/** Accepts objects with numbers as keys, as Google writes lists, or plain lists. */
const numbered = <T extends z.ZodType>(schema: T) =>
  z.union([z.array(schema).max(100), z.record(z.string().regex(/^\d{1,3}$/), schema)])

export const regionKinds = ['world', 'continent', 'country', 'state'] as const
export type RegionKind = (typeof regionKinds)[number]

const regionCodes: Record<RegionKind, RegExp> = {
  world: /^(?:world|World \(default\))$/,
  continent: /^\d{3}$/,
  country: /^[A-Z]{2}$/,
  state: /^US-[A-Z]{2}$/,
}

/** Returns the kind of region of a code, even an invalid one: a code of digits is a continent. */
export function regionKindOf(code: string): RegionKind {
  if (/^\d/.test(code)) return 'continent'
  if (/^us-/i.test(code)) return 'state'
  return /^[a-z]{1,3}$/i.test(code) ? 'country' : 'world'
}

/** Returns why a text is not a code of the kind of region, in the words of the specification (1 §5); null if it is. */
export const regionProblem = (kind: RegionKind, code: string): string | null =>
  regionCodes[kind].test(code) ? null : chartOptionMessages[kind]

/** `world`, a 3-digit continent, a country such as `FR`, or a US state such as `US-CA`. */
const Region = z.string().superRefine((code, context) => {
  const message = regionProblem(regionKindOf(code), code)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

/** Options of a chart, as Google Charts names them (specification 1 §3). Other options are kept, but have no effect. */
export const ChartOptions = z.looseObject({
  title: Text.optional(),
  colors: z.array(Colour).max(50).optional(),
  backgroundColor: Fill.optional(),
  /** Pixels. */
  height: atLeast0.max(5000).optional(),
  fontName: FontName.optional(),
  fontSize: atLeast0.max(200).optional(),
  legend: z
    .looseObject({
      position: z.enum([...chartEnums.legendPosition, 'left']).optional(),
      alignment: z.enum(chartEnums.alignment).optional(),
      numberFormat: Text.optional(),
    })
    .optional(),
  chartArea: z
    .looseObject({
      left: Extent.optional(),
      top: Extent.optional(),
      right: Extent.optional(),
      bottom: Extent.optional(),
      width: Extent.optional(),
      height: Extent.optional(),
      backgroundColor: Fill.optional(),
    })
    .optional(),
  hAxis: Axis.optional(),
  vAxis: Axis.optional(),
  hAxes: numbered(Axis).optional(),
  vAxes: numbered(Axis).optional(),
  axisTitlePosition: z.enum(chartEnums.textPosition).optional(),
  orientation: z.enum(chartEnums.orientation).optional(),
  theme: z.union([z.literal('maximized'), z.literal('material'), z.null()]).optional(),
  series: numbered(Series).optional(),
  seriesType: z.enum(chartEnums.seriesType).optional(),
  isStacked: z.union([z.boolean(), z.enum(chartEnums.isStacked)]).optional(),
  lineWidth: atLeast0.optional(),
  pointShape: z.enum(chartEnums.pointShape).optional(),
  pointSize: atLeast0.optional(),
  pointsVisible: z.boolean().optional(),
  bars: z.enum(chartEnums.bars).optional(),
  curveType: z.enum(chartEnums.curveType).optional(),
  is3D: z.boolean().optional(),
  /** Makes a pie a donut. */
  pieHole: z.number().gt(0, chartOptionMessages.pieHole).lt(1, chartOptionMessages.pieHole).optional(),
  pieSliceText: z.enum(chartEnums.pieSliceText).optional(),
  /** Degrees. */
  pieStartAngle: atLeast0.optional(),
  /** Share of the whole. */
  sliceVisibilityThreshold: z.number().min(leastSlice, sliceMessage).max(1, sliceMessage).optional(),
  reverseCategories: z.boolean().optional(),
  pieResidueSliceColor: Colour.optional(),
  pieResidueSliceLabel: Text.optional(),
  pieSliceBorderColor: Colour.optional(),
  displayMode: z.enum(chartEnums.displayMode).optional(),
  datalessRegionColor: Colour.optional(),
  defaultColor: Colour.optional(),
  colorAxis: z
    .looseObject({
      colors: z.array(Colour).optional(),
      minValue: z.number().optional(),
      maxValue: z.number().optional(),
    })
    .optional(),
  keepAspectRatio: z.boolean().optional(),
  /** The stored spelling (specification 1 §3). */
  keepAscpectRatio: z.boolean().optional(),
  region: Region.optional(),
  resolution: z.enum(chartEnums.resolution).optional(),
  geochartVersion: z.literal([...chartEnums.geochartVersion]).optional(),
  regioncoderVersion: z.literal([...chartEnums.regioncoderVersion]).optional(),
  /** For KPI tiles: the name of the template. */
  template: z.string().max(100, 'Use at most 100 characters.').optional(),
})
export type ChartOptions = z.output<typeof ChartOptions>

import type { FieldFormat } from '@portico/domain/field-format'
import { isDateType } from '@portico/domain/field-types'
import { isPeriod } from '@portico/domain/pipeline/pipeline'
import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import type { ChartData } from './chart-input.ts'
import type { Size } from './chart-input.ts'
import { formatShort } from '../field-value.ts'
import { datePattern, datePatternOf } from './date-format.ts'
import { textOf } from './frame.ts'
import { layOutLabels } from './category-labels.ts'
import { numberFormat } from './number-format.ts'
import { entryOf, type Stacking } from './series-plan.ts'

export type AxisOptions = NonNullable<ChartOptions['hAxis']>

export type AxisContext = {
  options: ChartOptions
  looks: ChartLooks
  size: Size
  /** Categories go down the vertical axis. */
  isSideways: boolean
  stacking: Stacking
  /** All values are whole, as counts are. */
  isWhole: boolean
  timeZone: string | undefined
}

type Sides = { options: ChartOptions; isSideways: boolean }

/** The options of an axis: `hAxis` is always the horizontal one. */
export function axisOptions({ options, isSideways }: Sides, of: 'category' | 'value', at = 0): AxisOptions {
  const isHorizontal = (of === 'value') === isSideways
  const [one, list] = isHorizontal ? [options.hAxis, options.hAxes] : [options.vAxis, options.vAxes]
  return { ...one, ...entryOf<AxisOptions>(list, at) }
}

/** The format of the values along an axis. */
export function valueFormat(context: Sides & { stacking: Stacking }, at: number): string | undefined {
  return axisOptions(context, 'value', at).format ?? (context.stacking === 'percent' ? 'percent' : undefined)
}

/** Whether gridlines depend on how long the axes are. */
export const needsSize = ({ hAxis, vAxis, hAxes, vAxes }: ChartOptions): boolean =>
  [hAxis, vAxis, ...Object.values(hAxes ?? {}), ...Object.values(vAxes ?? {})].some(
    (axis) => (axis as AxisOptions | undefined)?.gridlines?.minSpacing !== undefined,
  )

/** Pixels of an axis, roughly: labels, legend and titles have the rest. */
const lengthOf = ({ size }: AxisContext, isHorizontal: boolean): number =>
  Math.max(40, isHorizontal ? size.width - 70 : size.height - 70)

/** Number of gridlines as it is asked for; undefined leaves it to the engine. */
function linesOf({ gridlines }: AxisOptions, context: AxisContext, isHorizontal: boolean): number | undefined {
  const { count, minSpacing } = gridlines ?? {}
  const most = minSpacing ? Math.max(2, Math.floor(lengthOf(context, isHorizontal) / minSpacing) + 1) : undefined
  if (count === undefined) return most
  return most === undefined ? count : Math.min(count, most)
}

function titleOf({ title }: AxisOptions, { options, looks }: AxisContext, gap: number) {
  if (!title || options.axisTitlePosition === 'none' || options.theme === 'maximized') return {}
  const style = { ...textOf(options, looks), color: looks.dimmed }
  // Within the drawing, a line of text away from the axis.
  const nameGap = options.axisTitlePosition === 'in' ? -16 : gap
  const z = options.axisTitlePosition === 'in' && { z: overDrawing }
  return { name: title.replaceAll(/[{}]/g, ' '), nameLocation: 'middle', nameGap, nameTextStyle: style, ...z }
}

/** The layer of texts that are drawn over bars. */
const overDrawing = 5

const placeOfText = ({ textPosition }: AxisOptions, { theme }: ChartOptions): 'in' | 'none' | 'out' =>
  textPosition ?? (theme === 'maximized' ? 'in' : 'out')

/** Texts within the drawing are over it. */
const layerOf = (axis: AxisOptions, { options }: AxisContext) =>
  placeOfText(axis, options) === 'in' ? { z: overDrawing } : {}

function labelOf(axis: AxisOptions, { options, looks }: AxisContext) {
  const place = placeOfText(axis, options)
  return {
    ...textOf(options, looks, 11),
    color: looks.dimmed,
    show: place !== 'none',
    inside: place === 'in',
    // At the edge of the chart they would be cut.
    ...(options.theme === 'maximized' && { showMinLabel: false, showMaxLabel: false }),
  }
}

/** The labels of categories: texts, or dates and numbers in a format of the axis. */
function categoryTexts({ categories, categoryValues, categoryKey }: ChartData, context: AxisContext): string[] {
  const { format } = axisOptions(context, 'category')
  // There is room for more of them, the shorter they are.
  if (categoryKey?.part === 'month' || categoryKey?.part === 'dayOfWeek') {
    return categories.map((text, at) => (categoryValues[at] === null ? text : text.slice(0, 3)))
  }
  if (!format || !categoryKey || (categoryKey.part !== null && !isPeriod(categoryKey.part))) return categories
  // A day reads as its midnight in UTC, whatever the account's time zone.
  const timeZone = categoryKey.type === 'day' ? 'UTC' : context.timeZone
  const ofDate = isDateType(categoryKey.type) ? datePattern(datePatternOf(format), timeZone) : null
  const ofNumber = numberFormat(format)
  return categories.map((text, at) => {
    const value = categoryValues[at]
    if (typeof value === 'number' && !ofDate) return ofNumber(value)
    const moment = ofDate && typeof value === 'string' ? Date.parse(value) : Number.NaN
    return ofDate && !Number.isNaN(moment) ? ofDate(moment) : text
  })
}

/** The axis of the groups. Without bars its first point is on the edge. */
export function categoryAxis(data: ChartData, context: AxisContext, hasEdges: boolean) {
  const { isSideways, looks } = context
  const axis = axisOptions(context, 'category')
  const texts = categoryTexts(data, context)
  const lines = linesOf(axis, context, !isSideways)
  const { color, count } = axis.gridlines ?? {}
  const interval = lines === undefined ? undefined : Math.max(0, Math.ceil(texts.length / lines) - 1)
  const hasLines = color !== undefined || (count !== undefined && count > 1)
  return {
    type: 'category',
    ...layerOf(axis, context),
    // Texts may be the same where values are not, so that places are their names.
    data: texts.map((_, at) => String(at)),
    triggerEvent: true,
    boundaryGap: !hasEdges || texts.length < 2,
    ...(isSideways && { inverse: true }),
    ...titleOf(axis, context, isSideways ? 84 : 28),
    axisTick: { show: false },
    axisLine: { lineStyle: { color: looks.line } },
    ...(hasLines && {
      splitLine: { show: true, lineStyle: { color: color ?? looks.line }, ...(interval !== undefined && { interval }) },
    }),
    axisLabel: {
      ...labelOf(axis, context),
      formatter: (place: string) => texts[Number(place)] ?? '',
      hideOverlap: true,
      overflow: 'truncate',
      ...(isSideways ? { width: 130 } : layOutLabels(texts, lengthOf(context, true))),
      ...(interval !== undefined && { interval }),
    },
  }
}

/** Whether an axis writes its values in their own format: 'currency' does not say which. */
export const followsField = ({ format }: AxisOptions, own: FieldFormat): boolean =>
  format === undefined || (format === 'currency' && own.style === 'currency')

/** Whether a second axis has gridlines of its own, besides those of the first. */
function ownGridlines({ options, isSideways }: AxisContext, at: number): boolean {
  return entryOf<AxisOptions>(isSideways ? options.hAxes : options.vAxes, at)?.gridlines !== undefined
}

/** An axis of values; the second one is on the side opposite. */
export function valueAxis(at: number, context: AxisContext & { format?: FieldFormat | undefined }) {
  const { isSideways, looks, stacking, isWhole, format: own } = context
  const axis = axisOptions(context, 'value', at)
  const lines = linesOf(axis, context, isSideways)
  const isShare = stacking === 'percent' || stacking === 'relative'
  const format = axis.format ?? (stacking === 'percent' ? 'percent' : isShare ? 'decimal' : 'short')
  const write =
    own && followsField(axis, own) && !isShare ? (value: number) => formatShort(value, own) : numberFormat(format)
  const most = axis.maxValue ?? (isShare && at === 0 ? 1 : undefined)
  return {
    type: axis.logScale ? 'log' : 'value',
    ...layerOf(axis, context),
    ...(at > 0 && { position: isSideways ? 'top' : 'right', alignTicks: !axis.logScale }),
    ...(axis.minValue !== undefined && { min: axis.minValue }),
    ...(most !== undefined && { max: most }),
    ...(isWhole && !isShare && { minInterval: 1 }),
    // A hint, as in Google's charts.
    ...(lines !== undefined && lines > 1 && { splitNumber: lines - 1 }),
    ...titleOf(axis, context, isSideways ? 28 : 46),
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: {
      show: (at === 0 || ownGridlines(context, at)) && lines !== 1,
      lineStyle: { color: axis.gridlines?.color ?? looks.line },
    },
    axisLabel: { ...labelOf(axis, context), hideOverlap: true, formatter: (value: number) => write(value) },
  }
}

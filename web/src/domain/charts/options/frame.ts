import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'

type Fill = NonNullable<ChartOptions['backgroundColor']>

/** Google's colours of areas are a colour, or an object with a `fill`. */
export const fillOf = (fill: Fill | undefined): string | undefined => (typeof fill === 'object' ? fill.fill : fill)

export type Box = {
  left: number | string
  top: number | string
  right?: number | string
  bottom?: number | string
  width?: number | string
  height?: number | string
}

const legendSpace = { horizontal: 30, vertical: 110 }

type LegendPlace = NonNullable<NonNullable<ChartOptions['legend']>['position']>

export const legendPlaceOf = ({ legend }: ChartOptions): LegendPlace => legend?.position ?? 'top'

const sides = { start: 'left', center: 'center', end: 'right' } as const
const heights = { start: 'top', center: 'middle', end: 'bottom' } as const

/** The legend. A click on an entry narrows; it never hides a series. */
export function legendOf(options: ChartOptions, looks: ChartLooks, names: readonly string[]) {
  const position = legendPlaceOf(options)
  if (position === 'none' || names.length === 0) return { show: false }
  const { alignment = 'center' } = options.legend ?? {}
  const isVertical = position === 'left' || position === 'right' || position === 'in'
  const place =
    position === 'in'
      ? { left: 60, top: 24 }
      : isVertical
        ? { [position]: 0, top: heights[alignment] }
        : { [position]: 0, left: sides[alignment] }
  return {
    show: true,
    type: 'scroll',
    orient: isVertical ? 'vertical' : 'horizontal',
    ...place,
    data: [...names],
    selectedMode: false,
    triggerEvent: true,
    icon: 'roundRect',
    itemWidth: 12,
    itemHeight: 8,
    textStyle: {
      ...textOf(options, looks),
      overflow: 'truncate',
      ...(isVertical && { width: legendSpace.vertical - 24 }),
    },
    pageTextStyle: { color: looks.text },
    pageIconColor: looks.text,
    pageIconInactiveColor: looks.line,
  }
}

/** The font of all texts of a chart. */
export const textOf = ({ fontName, fontSize }: ChartOptions, looks: ChartLooks) => ({
  color: looks.text,
  fontFamily: fontName ?? looks.font,
  fontSize: fontSize ?? 12,
})

/** Where the chart is drawn: what `chartArea` says, else all that legend and title leave. */
export function areaOf(options: ChartOptions, hasLegend: boolean): Box {
  const { chartArea: area } = options
  const position = hasLegend ? legendPlaceOf(options) : 'none'
  const titleSpace = options.title ? 26 : 0
  const space = (side: LegendPlace): number =>
    position !== side ? 0 : side === 'left' || side === 'right' ? legendSpace.vertical : legendSpace.horizontal
  return {
    left: area?.left ?? 8 + space('left'),
    top: area?.top ?? 10 + titleSpace + space('top'),
    // In Google's options a width or height says more than the opposite side.
    ...(area?.width === undefined ? { right: area?.right ?? 12 + space('right') } : { width: area.width }),
    ...(area?.height === undefined ? { bottom: area?.bottom ?? 6 + space('bottom') } : { height: area.height }),
  }
}

/** Parts that all charts have. Texts of tooltips are drawn as text: they come from strangers. */
export function commonOf(options: ChartOptions, looks: ChartLooks) {
  const background = fillOf(options.backgroundColor)
  return {
    color: options.colors?.length ? options.colors : looks.colors,
    ...(background !== undefined && { backgroundColor: background }),
    textStyle: textOf(options, looks),
    ...(options.title && {
      title: { text: options.title, left: 8, top: 2, textStyle: { ...textOf(options, looks), fontWeight: 600 } },
    }),
  }
}

export const tooltipOf = (looks: ChartLooks) => ({
  renderMode: 'richText',
  confine: true,
  backgroundColor: looks.surface,
  borderColor: looks.line,
  textStyle: { color: looks.text, fontSize: 12 },
})

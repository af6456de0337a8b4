import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import { colorsIn } from '#ui/chart/palettes.ts'
import { isDark } from './colors.ts'

type Fill = ChartOptions['backgroundColor']
type Box = Partial<Record<'left' | 'top' | 'right' | 'bottom' | 'width' | 'height', number | string>>
type LegendPlace = 'bottom' | 'in' | 'left' | 'none' | 'right' | 'top'

/** The colour of an area, which Google writes as a text or an object. */
export const fillOf = (fill: Fill): string | undefined => (typeof fill === 'string' ? fill : fill?.fill)

/** Colours of the series: those of the options, where a palette follows the scheme of the page. */
export const seriesColors = ({ colors }: ChartOptions, looks: ChartLooks): readonly string[] =>
  colors?.length ? colorsIn(colors, looks.scheme) : looks.colors

/** The looks of the page, or those that the background of the chart asks for where it has one. */
export function looksOn({ backgroundColor }: ChartOptions, looks: ChartLooks): ChartLooks {
  const surface = fillOf(backgroundColor)
  const needsDark = surface === undefined ? null : isDark(surface)
  if (surface === undefined || needsDark === null) return looks
  if (needsDark === (looks.scheme === 'dark')) return { ...looks, surface }
  const [text, dimmed, line] = needsDark ? ['#dbe1ea', '#9aa7ba', '#ffffff33'] : ['#141b29', '#566275', '#00000026']
  return { ...looks, scheme: needsDark ? 'dark' : 'light', text, dimmed, line, surface }
}

export const textOf = ({ fontName, fontSize }: ChartOptions, looks: ChartLooks, usualSize = 12) => ({
  color: looks.text,
  fontFamily: fontName ? `${fontName}, ${looks.font}` : looks.font,
  fontSize: fontSize ?? usualSize,
})

/** Parts that all charts have. */
export function commonOf(options: ChartOptions, looks: ChartLooks, hasPatterns: boolean) {
  const background = fillOf(options.backgroundColor)
  return {
    color: [...seriesColors(options, looks)],
    ...(background !== undefined && { backgroundColor: background }),
    textStyle: textOf(options, looks),
    ...(options.title &&
      options.theme !== 'maximized' && {
        title: {
          text: options.title.replaceAll(/[{}]/g, ' '),
          left: 8,
          top: 2,
          textStyle: { ...textOf(options, looks, 13), fontWeight: 600, overflow: 'truncate' },
        },
      }),
    ...(hasPatterns && { aria: { enabled: true, label: { enabled: false }, decal: { show: true } } }),
  }
}

/** Texts of tooltips are drawn as texts, never as HTML: they come from strangers. */
export const tooltipOf = (looks: ChartLooks) => ({
  renderMode: 'richText',
  confine: true,
  transitionDuration: 0,
  backgroundColor: looks.surface,
  borderColor: looks.line,
  borderWidth: 1,
  textStyle: { color: looks.text, fontSize: 12, fontFamily: looks.font },
})

const usualLegendPlace = 'top'
export const legendPlaceOf = ({ legend }: ChartOptions): LegendPlace => legend?.position ?? usualLegendPlace

const titleSpace = ({ title, theme }: ChartOptions): number => (title && theme !== 'maximized' ? 26 : 0)

const horizontal = { start: 'left', center: 'center', end: 'right' } as const
const vertical = { start: 'top', center: 'middle', end: 'bottom' } as const

/** Pixels for a legend above, below or beside a chart. */
const legendSpace = { across: 28, beside: 140 }

/** A legend; its names are those of the series, or of the slices of a pie. */
export function legendOf(options: ChartOptions, looks: ChartLooks, hidden: readonly string[] = []) {
  const place = options.theme === 'maximized' ? maximizedLegend(options) : legendPlaceOf(options)
  if (place === 'none') return { show: false }
  const { alignment } = options.legend ?? {}
  const fontSize = options.fontSize ?? 12
  return {
    show: true,
    type: 'scroll',
    triggerEvent: false,
    selected: Object.fromEntries(hidden.map((name) => [name, false])),
    icon: 'roundRect',
    itemWidth: 12,
    itemHeight: 8,
    textStyle: {
      ...textOf(options, looks),
      overflow: 'truncate',
      ...(place === 'left' || place === 'right' ? { width: legendSpace.beside - 32 } : { width: 180 }),
    },
    pageTextStyle: { color: looks.text },
    pageIconColor: looks.text,
    pageIconInactiveColor: looks.line,
    pageIconSize: Math.min(fontSize, 12),
    ...legendBox(place, options, alignment),
  }
}

/** A maximized chart has no place beside it. */
function maximizedLegend(options: ChartOptions): LegendPlace {
  return legendPlaceOf(options) === 'none' ? 'none' : 'in'
}

function legendBox(
  place: Exclude<LegendPlace, 'none'>,
  options: ChartOptions,
  alignment: 'center' | 'end' | 'start' | undefined,
) {
  const top = titleSpace(options)
  switch (place) {
    case 'top':
      return { orient: 'horizontal', top, left: horizontal[alignment ?? 'center'] }
    case 'bottom':
      return { orient: 'horizontal', bottom: 0, left: horizontal[alignment ?? 'center'] }
    case 'in':
      return { orient: 'vertical', left: 60, top: top + 24 }
    case 'left':
    case 'right':
      return { orient: 'vertical', [place]: 0, top: top > 0 && !alignment ? top : vertical[alignment ?? 'start'] }
  }
}

/** The background of the area of a chart without axes, whose box is given. */
export function backgroundOf({ chartArea }: ChartOptions, box: object) {
  const backgroundColor = fillOf(chartArea?.backgroundColor)
  return backgroundColor === undefined ? {} : { grid: { ...box, show: true, backgroundColor, borderWidth: 0 } }
}

/** Where the chart itself is drawn: what `chartArea` says, else all that title and legend leave. In pixels, or shares. */
export function areaOf(options: ChartOptions): Box {
  if (options.theme === 'maximized') return { left: 0, top: 0, right: 0, bottom: 0 }
  const { chartArea: area } = options
  const place = legendPlaceOf(options)
  const space = (side: LegendPlace): number =>
    place !== side ? 0 : side === 'left' || side === 'right' ? legendSpace.beside : legendSpace.across
  return {
    left: area?.left ?? 8 + space('left'),
    top: area?.top ?? 10 + titleSpace(options) + space('top'),
    // In Google's options a width or height counts more than the side opposite.
    ...(area?.width === undefined ? { right: area?.right ?? 12 + space('right') } : { width: area.width }),
    ...(area?.height === undefined ? { bottom: area?.bottom ?? 6 + space('bottom') } : { height: area.height }),
  }
}

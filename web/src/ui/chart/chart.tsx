import type { EChartsCoreOption } from 'echarts/core'
import { useComputedColorScheme, VisuallyHidden } from '@mantine/core'
import {
  type PointerEvent,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import css from './chart.module.css'
import { followDrag } from './chart-drag.ts'
import { type ChartSize, drawImage, type Drawing, type Drawn, sizeOf, startDrawing } from './chart-drawing.ts'
import { type ChartStop, useChartKeyboard } from './chart-keyboard.ts'
import { type ChartLooks, chartLooks } from './chart-looks.ts'
import type { ChartMap } from './chart-map.ts'
import type { ChartPick } from './chart-pick.ts'
import type { ChartParts } from './load-engine.ts'
import { useNear } from '#ui/page/use-near.ts'

/** A drawn chart, for callers that need its image. */
export type ChartHandle = {
  /** The chart as SVG in its current size, with the page's background color. */
  toSvg: () => Promise<string>
}

type ChartProps = {
  /** Describes the chart for screen readers. A table next to it has its values. */
  label: string
  /** In pixels. */
  height?: number
  /** Options of ECharts. A new function redraws the chart. */
  options: (looks: ChartLooks, size: ChartSize) => EChartsCoreOption
  parts?: ChartParts
  map?: ChartMap | null
  /** The options depend on the size of the element, and are made again when it changes. */
  followsSize?: boolean
  /** Values that the keyboard can reach; with none, the keyboard skips the chart. */
  stops?: readonly ChartStop[]
  /** The axis that has categories, which can be chosen by dragging over them. */
  categoryAxis?: 'x' | 'y' | null
  /** Consists of lines only. */
  isLine?: boolean
  /** `isAdding`: with Shift. */
  onPick?: ((pick: ChartPick, isAdding: boolean) => void) | undefined
  /** The key Escape. */
  onReset?: (() => void) | undefined
  /** Also draws while far from the visible part of the page. */
  isEager?: boolean
  ref?: Ref<ChartHandle> | undefined
}

/** A chart in the colors of the page, light or dark. Its drawing code is loaded with the first chart. */
export function Chart({ ref, ...props }: ChartProps) {
  const { label, height = 280, stops = [], onPick, onReset, categoryAxis = null } = props
  const place = useRef<HTMLDivElement>(null)
  const band = useRef<HTMLDivElement>(null)
  const { drawing, hasFailed, toSvg } = useDrawing(place, props)
  const keyboard = useChartKeyboard(drawing, { stops, onPick, onReset })
  const hint = useId()
  useImperativeHandle(ref, () => ({ toSvg }), [toSvg])
  const onPointerDown = ({ nativeEvent }: PointerEvent): void => {
    const chart = drawing.current?.chart
    if (!chart || !place.current || !band.current || !categoryAxis || !onPick) return
    followDrag(chart, place.current, nativeEvent, { axis: categoryAxis, band: band.current, onPick })
  }
  if (hasFailed) return <p className={css['failure']}>The chart could not be loaded. The table shows its values.</p>
  const drawn = (
    <div
      ref={place}
      className={`${css['chart']} ${onPick ? '' : css['still']}`}
      style={{ height }}
      onPointerDown={onPointerDown}
      aria-hidden
    />
  )
  if (stops.length === 0) {
    return (
      <figure aria-label={label} className={css['figure']}>
        {drawn}
      </figure>
    )
  }
  return (
    <figure className={css['figure']}>
      <div
        role="application"
        aria-roledescription="chart"
        aria-label={label}
        aria-describedby={hint}
        className={css['frame']}
        {...keyboard.props}
      >
        {drawn}
        <div ref={band} className={css['band']} hidden />
      </div>
      <VisuallyHidden id={hint}>
        {`Arrow keys move over the values.${onPick ? ' Enter selects, Shift+Enter adds, Escape resets.' : ''}`}
      </VisuallyHidden>
      <VisuallyHidden component="output" aria-live="polite">
        {keyboard.text}
      </VisuallyHidden>
    </figure>
  )
}

/** Draws in an element once it is near the visible part of the page, and again with each change. */
function useDrawing(place: RefObject<HTMLDivElement | null>, props: Omit<ChartProps, 'ref'>) {
  const { options, parts = 'usual', map = null, followsSize = false, categoryAxis = null, isLine = false } = props
  const { onPick, isEager = false } = props
  const scheme = useComputedColorScheme('light')
  const isNear = useNear(place, isEager)
  const drawing = useRef<Drawing | null>(null)
  const [hasFailed, setFailed] = useState(false)
  const drawnOf = (on: HTMLElement): Drawn => {
    const looks = chartLooks(on, scheme)
    const withLooks = (size: ChartSize): EChartsCoreOption => options(looks, size)
    return { options: withLooks, background: looks.surface, parts, map, followsSize, categoryAxis, isLine, onPick }
  }
  const latest = useRef(drawnOf)
  useEffect(() => {
    latest.current = drawnOf
  })
  useEffect(() => {
    const on = place.current
    if (!on || !isNear) return undefined
    let isStopped = false
    const start = async (): Promise<void> => {
      const started = await startDrawing(on, () => latest.current(on))
      if (isStopped) started.stop()
      else drawing.current = started
    }
    start().catch(() => setFailed(true))
    return () => {
      isStopped = true
      drawing.current?.stop()
      drawing.current = null
    }
  }, [place, isNear, parts])
  useEffect(() => {
    // The page sets its colors in an effect that runs after this one.
    queueMicrotask(() => drawing.current?.update())
  }, [options, map, scheme])
  const [toSvg] = useState(() => (): Promise<string> => {
    const on = place.current
    if (!on) return Promise.reject(new Error('The chart is not in the page.'))
    return drawImage(sizeOf(on), latest.current(on))
  })
  return { drawing, hasFailed, toSvg }
}

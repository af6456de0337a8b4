import type { ECharts, EChartsCoreOption } from 'echarts/core'
import { useComputedColorScheme } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import css from './chart.module.css'
import { type ChartLooks, chartLooks } from './chart-looks.ts'

/** A part of a chart that was clicked: a value, an entry of the legend, or a label of the axis of categories. */
export type ChartPick = { kind: 'value'; series: number; at: number } | { kind: 'legend' | 'category'; name: string }

/** Values that the keyboard goes through, and how each is read out. */
type ChartStop = { series: number; at: number; text: string }

type ChartProps = {
  /** Says what is drawn, for those who do not see it. Its values have to stand in a table beside it. */
  label: string
  /** In pixels. */
  height?: number
  /** Options of ECharts. The same function draws the same chart. */
  options: (looks: ChartLooks) => EChartsCoreOption
  stops?: readonly ChartStop[]
  /** `isAdding`: with the shift key. */
  onPick?: (pick: ChartPick, isAdding: boolean) => void
  /** Escape. */
  onReset?: () => void
}

/** A chart in the colours of the page, light or dark. The code that draws is loaded with the first chart. */
export function Chart({ label, height = 280, options, stops = [], onPick, onReset }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<ECharts | null>(null)
  const scheme = useComputedColorScheme('light')
  const [hasFailed, setFailed] = useState(false)
  // Handlers change with each choice; the chart need not be drawn again for that.
  const latest = useRef(onPick)
  useEffect(() => {
    latest.current = onPick
  })
  useEffect(() => {
    if (!place.current) return undefined
    const drawing = draw(place.current, {
      optionsFor: (on) => options(chartLooks(on, scheme)),
      onDrawn: (chart) => (drawn.current = chart),
      onPick: (pick, isAdding) => latest.current?.(pick, isAdding),
    })
    drawing.isLoaded.catch(() => setFailed(true))
    return drawing.stop
  }, [options, scheme])
  const keyboard = useKeyboard(drawn, { stops, onPick, onReset })
  if (hasFailed) return <p className={css['failure']}>The chart could not be loaded. The table shows its values.</p>
  return (
    <figure aria-label={label} className={css['figure']} {...keyboard.props}>
      <div ref={place} className={css['chart']} style={{ height }} aria-hidden />
      {stops.length > 0 && (
        <output className={css['spoken']} aria-live="polite">
          {keyboard.text}
        </output>
      )}
    </figure>
  )
}

type Keys = {
  stops: readonly ChartStop[]
  onPick: ChartProps['onPick'] | undefined
  onReset: ChartProps['onReset'] | undefined
}

/** Arrow keys go from value to value, which are shown and read out; Enter picks, Escape resets. */
function useKeyboard(drawn: { current: ECharts | null }, { stops, onPick, onReset }: Keys) {
  const [at, setAt] = useState<number | null>(null)
  const stop = at === null ? undefined : stops[at]
  const go = (next: number): void => {
    const wanted = stops[(next + stops.length) % stops.length]
    if (!wanted) return
    setAt((next + stops.length) % stops.length)
    const target = { seriesIndex: wanted.series, dataIndex: wanted.at }
    drawn.current?.dispatchAction({ type: 'downplay' })
    drawn.current?.dispatchAction({ type: 'highlight', ...target })
    drawn.current?.dispatchAction({ type: 'showTip', ...target })
  }
  const leave = (): void => {
    setAt(null)
    drawn.current?.dispatchAction({ type: 'downplay' })
    drawn.current?.dispatchAction({ type: 'hideTip' })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step !== undefined) go(at === null ? (step > 0 ? 0 : stops.length - 1) : at + step)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(stops.length - 1)
    else if ((event.key === 'Enter' || event.key === ' ') && stop && onPick) {
      onPick({ kind: 'value', series: stop.series, at: stop.at }, event.shiftKey)
    } else if (event.key === 'Escape' && onReset) onReset()
    else return
    event.preventDefault()
  }
  if (stops.length === 0) return { text: '', props: {} }
  return { text: stop?.text ?? '', props: { role: 'group', tabIndex: 0, onKeyDown, onBlur: leave } }
}

type Drawing = {
  optionsFor: (place: HTMLElement) => EChartsCoreOption
  onDrawn: (chart: ECharts | null) => void
  onPick: (pick: ChartPick, isAdding: boolean) => void
}

/** Draws once the place has a size and the code is there, and again with each size. */
function draw(place: HTMLElement, { optionsFor, onDrawn, onPick }: Drawing) {
  let isStopped = false
  let clear = (): void => undefined
  const start = async (): Promise<void> => {
    const { startChart } = await import('./chart-engine.ts')
    if (isStopped) return
    const chart = startChart(place)
    chart.setOption({ animation: false, ...optionsFor(place) })
    chart.on('click', (event) => {
      const pick = pickOf(event)
      if (pick) onPick(pick, isShift(event.event))
    })
    onDrawn(chart)
    const observer = new ResizeObserver(() => chart.resize())
    observer.observe(place)
    clear = () => {
      observer.disconnect()
      onDrawn(null)
      chart.dispose()
    }
  }
  return {
    isLoaded: start(),
    stop: () => {
      isStopped = true
      clear()
    },
  }
}

type Clicked = { componentType?: string; seriesIndex?: number; dataIndex?: number; name?: unknown; value?: unknown }

function pickOf({ componentType, seriesIndex, dataIndex, name, value }: Clicked): ChartPick | null {
  if (componentType === 'series' && seriesIndex !== undefined && dataIndex !== undefined) {
    return { kind: 'value', series: seriesIndex, at: dataIndex }
  }
  if (componentType === 'legend' && typeof name === 'string') return { kind: 'legend', name }
  const isAxis = componentType === 'xAxis' || componentType === 'yAxis'
  return isAxis && typeof value === 'string' ? { kind: 'category', name: value } : null
}

const isShift = (event: { event?: unknown } | undefined): boolean =>
  event?.event instanceof MouseEvent && event.event.shiftKey

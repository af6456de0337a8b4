import type { ECharts, EChartsCoreOption } from 'echarts/core'
import { type ChartPick, pickBeside, pickOf, type PickedEvent } from './chart-pick.ts'
import { type ChartParts, loadEngine } from './load-engine.ts'
import type { ChartMap } from './chart-map.ts'

export type ChartSize = { width: number; height: number }

/** How a chart is drawn now. */
export type Drawn = {
  options: (size: ChartSize) => EChartsCoreOption
  /** Color of the page. */
  background: string
  parts: ChartParts
  map: ChartMap | null
  /** The options depend on the size of the element. */
  followsSize: boolean
  /** The axis that has categories. */
  categoryAxis: 'x' | 'y' | null
  isLine: boolean
  onPick: ((pick: ChartPick, isAdding: boolean) => void) | undefined
}

export type Drawing = {
  chart: ECharts
  /** Draws changes. */
  update: () => void
  stop: () => void
}

/** Draws in an element of the page, and again when its size changes. `now` returns how to draw. */
export async function startDrawing(place: HTMLElement, now: () => Drawn): Promise<Drawing> {
  const { parts } = now()
  const { startChart, addMap } = await loadEngine(parts)
  await ownTask()
  const chart = startChart(place)
  const update = (): void => {
    const { map, options } = now()
    if (map) addMap(map)
    chart.setOption({ animation: false, ...options(sizeOf(place)) }, { notMerge: true })
  }
  update()
  listen(chart, now)
  const observer = new ResizeObserver(() => {
    const { width, height } = sizeOf(place)
    if (width === chart.getWidth() && height === chart.getHeight()) return
    chart.resize()
    if (now().followsSize) update()
  })
  observer.observe(place)
  const stop = (): void => {
    observer.disconnect()
    chart.dispose()
  }
  return { chart, update, stop }
}

/** Many charts wait for the same code: drawn in one task, they would keep the page from answering. */
const ownTask = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve)
  })

export const sizeOf = ({ clientWidth, clientHeight }: HTMLElement): ChartSize => ({
  width: clientWidth,
  height: clientHeight,
})

/** The chart as SVG, with a background: images appear on pages of other colors. */
export async function drawImage(size: ChartSize, { options, background, parts, map }: Drawn): Promise<string> {
  const { startImage, addMap } = await loadEngine(parts)
  if (map) addMap(map)
  const chart = startImage(size)
  try {
    chart.setOption({ animation: false, backgroundColor: background, ...options(size) })
    return chart.renderToSVGString()
  } finally {
    chart.dispose()
  }
}

type LegendEvent = { name: string; selected: Record<string, boolean> }

function listen(chart: ECharts, now: () => Drawn): void {
  let isShift = false
  chart.getZr().on('mousedown', ({ event }) => {
    isShift = event instanceof MouseEvent && event.shiftKey
  })
  const pick = (picked: ChartPick | null): void => {
    if (picked) now().onPick?.(picked, isShift)
  }
  chart.on('click', (event) => pick(pickOf(chart, event as PickedEvent)))
  chart.getZr().on('click', ({ target, offsetX, offsetY }) => {
    const { isLine, categoryAxis } = now()
    if (!target && isLine && categoryAxis) pick(pickBeside(chart, categoryAxis, [offsetX, offsetY]))
  })
  chart.on('legendselectchanged', (event) => {
    const { name, selected } = event as LegendEvent
    if (!now().onPick) return
    // By default the engine hides the series; here a click on the legend chooses it.
    chart.dispatchAction({ type: selected[name] ? 'legendUnSelect' : 'legendSelect', name })
    if (!selected[name]) pick({ kind: 'legend', name })
  })
}

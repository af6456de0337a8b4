import type { EChartsCoreOption } from 'echarts/core'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import css from './chart.module.css'
import { type ChartLooks, chartLooks } from './chart-looks.ts'

type ChartProps = {
  /** Text alternative. Its values must also be in a table beside the chart. */
  label: string
  /** In pixels. */
  height?: number
  /** Options of ECharts. The same function draws the same chart. */
  options: (looks: ChartLooks) => EChartsCoreOption
}

/** A chart in the colours of the page, light or dark. The code that draws is loaded with the first chart. */
export function Chart({ label, height = 280, options }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    if (!place.current) return undefined
    const drawing = draw(place.current, (on) => options(chartLooks(on, scheme)))
    drawing.isLoaded.catch(() => setFailed(true))
    return drawing.stop
  }, [options, scheme])
  if (hasFailed) return <p className={css['failure']}>The chart could not be loaded. The table shows its values.</p>
  return (
    <figure aria-label={label} className={css['figure']}>
      <div ref={place} className={css['chart']} style={{ height }} aria-hidden />
    </figure>
  )
}

/** Draws once the place has a size and the code is there, and again with each size. */
function draw(place: HTMLElement, optionsFor: (place: HTMLElement) => EChartsCoreOption) {
  let isStopped = false
  let clear = (): void => undefined
  const start = async (): Promise<void> => {
    const { startChart } = await import('./chart-engine.ts')
    if (isStopped) return
    const chart = startChart(place)
    chart.setOption({ animation: false, ...optionsFor(place) })
    const observer = new ResizeObserver(() => chart.resize())
    observer.observe(place)
    clear = () => {
      observer.disconnect()
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

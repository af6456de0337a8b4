import { BarChart, LineChart, PieChart } from 'echarts/charts'
import { AriaComponent, GridComponent, LegendComponent, TitleComponent, TooltipComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'

// Only the parts in use; this file is a chunk of its own, loaded with the first chart.
use([
  BarChart,
  LineChart,
  PieChart,
  AriaComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
  SVGRenderer,
])

type Size = { width: number; height: number }

export const startChart = (place: HTMLElement, size?: Size) => init(place, null, { renderer: 'svg', ...size })

/** A chart that is not in the page and is only written as SVG. */
export const startImage = (size: Size) => init(null, null, { renderer: 'svg', ssr: true, ...size })

import { CandlestickChart } from 'echarts/charts'
import { MarkAreaComponent, MarkLineComponent } from 'echarts/components'
import { use } from 'echarts/core'

/** Enables the engine to draw candlesticks, and lines and areas at values of an axis. */
export const addMore = (): void => use([CandlestickChart, MarkLineComponent, MarkAreaComponent])

import { CandlestickChart } from 'echarts/charts'
import { MarkAreaComponent, MarkLineComponent } from 'echarts/components'
import { use } from 'echarts/core'

/** Enables the engine to draw lines and areas at values of an axis, also over candlesticks. */
export const addMarks = (): void => use([CandlestickChart, MarkLineComponent, MarkAreaComponent])

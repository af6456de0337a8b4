import { CandlestickChart } from 'echarts/charts'
import { use } from 'echarts/core'

/** Enables the engine to draw candlesticks. */
export const addCandles = (): void => use([CandlestickChart])

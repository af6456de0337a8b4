import { CandlestickChart } from 'echarts/charts'
import { use } from 'echarts/core'

/** Makes the engine draw candles. */
export const addCandles = (): void => use([CandlestickChart])

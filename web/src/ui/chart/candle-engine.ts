import { CandlestickChart } from 'echarts/charts'
import { use } from 'echarts/core'

use([CandlestickChart])

export { startChart, startImage } from './chart-engine.ts'

import { MapChart, ScatterChart } from 'echarts/charts'
import { GeoComponent, VisualMapContinuousComponent } from 'echarts/components'
import { registerMap, use } from 'echarts/core'
import type { ChartMap } from './chart-map.ts'

use([MapChart, ScatterChart, GeoComponent, VisualMapContinuousComponent])

export { startChart, startImage } from './chart-engine.ts'

/** Makes the shapes known to all charts under the name. */
export function addMap({ name, shapes }: ChartMap): void {
  // The engine declares shapes more narrowly than it reads them.
  registerMap(name, shapes as unknown as Parameters<typeof registerMap>[1])
}

import { MapChart, ScatterChart } from 'echarts/charts'
import { GeoComponent, VisualMapContinuousComponent } from 'echarts/components'
import { registerMap, use } from 'echarts/core'
import type { ChartMap } from './chart-map.ts'

use([MapChart, ScatterChart, GeoComponent, VisualMapContinuousComponent])

export { startChart, startImage } from './chart-engine.ts'

/** Registers the shapes under the map's name for all charts. */
export function addMap({ name, shapes }: ChartMap): void {
  // The engine's type of shapes is narrower than the shapes it accepts.
  registerMap(name, shapes as unknown as Parameters<typeof registerMap>[1])
}

import { Skeleton } from '@mantine/core'
import { defaultChartOptions } from '@portico/contract/dashboards/chart-defaults'
import { useEffect, useMemo, useState } from 'react'
import { DrawnChart } from '../drawn-chart.tsx'
import css from '../drawn-chart.module.css'
import type { GroupChartProps } from '../group-chart-props.ts'
import { geoChart } from './geo-chart.ts'
import { type LoadedMap, loadMap } from './load-map.ts'
import { mapPlan } from './map-plan.ts'

/** Groups on a map. The data of the map is loaded when it is shown. */
export function GeoGroupChart({ label, options, grouping, rows, chosen, ...choosing }: GroupChartProps) {
  const plan = useMemo(() => mapPlan(options), [options])
  const { map, hasFailed } = useMap(plan.name)
  const drawing = useMemo(() => {
    const input = { kind: 'Geo' as const, options, grouping, rows, ...(chosen && { chosen }) }
    return map ? geoChart(input, plan, map) : null
  }, [options, grouping, rows, chosen, plan, map])
  if (hasFailed) return <p className={css['failure']}>The map could not be loaded. The table shows its values.</p>
  if (!drawing) return <Skeleton height={options.height ?? defaultChartOptions.height} />
  return <DrawnChart label={label} options={options} drawing={drawing} map={map} {...choosing} />
}

/** The map of a name; null until it is there. */
function useMap(name: string): { map: LoadedMap | null; hasFailed: boolean } {
  const [map, setMap] = useState<LoadedMap | null>(null)
  const [failed, setFailed] = useState<string | null>(null)
  useEffect(() => {
    let isWanted = true
    const load = async (): Promise<void> => {
      const found = await loadMap(name)
      if (isWanted) setMap(found)
    }
    load().catch(() => isWanted && setFailed(name))
    return () => {
      isWanted = false
    }
  }, [name])
  return { map: map?.name === name ? map : null, hasFailed: failed === name }
}

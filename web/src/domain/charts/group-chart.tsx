import { Skeleton } from '@mantine/core'
import { defaultChartOptions } from '@portico/contract/dashboards/chart-defaults'
import { useMemo } from 'react'
import { accountTimeZone } from '#lib/session/session.ts'
import { deferred } from '#ui/page/deferred.tsx'
import { DrawnChart } from './drawn-chart.tsx'
import type { GroupChartProps } from './group-chart-props.ts'
import { drawChart } from './options/draw-chart.ts'

const heightOf = ({ options }: GroupChartProps): number => options.height ?? defaultChartOptions.height

const Place = (props: GroupChartProps) => <Skeleton height={heightOf(props)} />

/** Maps bring code and data of their own. */
const GeoGroupChart = deferred(async () => (await import('./maps/geo-group-chart.tsx')).GeoGroupChart, Place)

const DisplayedChart = deferred(async () => (await import('./display/displayed-chart.tsx')).DisplayedChart, Place)

/**
 * Groups as a chart with options as Google Charts names them. Its values can be chosen with the mouse and the keyboard.
 * `options`, `grouping`, `rows`, `chosen` and `hidden` draw again when they are other objects than before.
 */
export function GroupChart(props: GroupChartProps) {
  if (props.kind === 'Geo') return <GeoGroupChart {...props} />
  return props.display ? <DisplayedChart {...props} /> : <PlainGroupChart {...props} kind={props.kind} />
}

type PlainProps = GroupChartProps & { kind: Parameters<typeof drawChart>[0]['kind'] }

function PlainGroupChart({
  label,
  kind,
  options,
  grouping,
  rows,
  chosen,
  hidden,
  hasPatterns,
  ...choosing
}: PlainProps) {
  const drawing = useMemo(
    () =>
      drawChart(
        {
          kind,
          options,
          grouping,
          rows,
          ...(chosen && { chosen }),
          ...(hidden && { hidden }),
          ...(hasPatterns && { hasPatterns }),
        },
        accountTimeZone(),
      ),
    [kind, options, grouping, rows, chosen, hidden, hasPatterns],
  )
  return <DrawnChart label={label} options={options} drawing={drawing} {...choosing} />
}

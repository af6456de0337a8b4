import type { FieldFormat } from '@portico/domain/field-format'
import { findGroup, type KnownField } from '@portico/domain/pipeline/grouping'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { kpiTemplateOf, kpiTemplates, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import { groupingOfChart, hasOwnRange, parseFilter } from '@portico/contract/dashboards/dashboard-cells'
import { Group, Skeleton, Text } from '@mantine/core'
import type { CSSProperties } from 'react'
import IconArrowDownRight from '#icons/IconArrowDownRight'
import IconArrowUpRight from '#icons/IconArrowUpRight'
import { abbreviate, exactComputed, formatComputed, formatShort } from '#domain/charts'
import { formatNumber } from '#lib/formats.ts'
import { Gauge } from '#ui/chart/gauge.tsx'
import { deferred } from '#ui/page/deferred.tsx'
import type { AnsweredProps } from './cell-props.ts'
import css from './kpi-tile.module.css'

// Few tiles have their own date range, and the calendar's code is large.
const OwnRange = deferred(
  async () => (await import('./own-range.tsx')).OwnRange,
  () => <Skeleton height={30} />,
)

/** One number, by one of four templates (specification 4 §2). */
export function KpiTile({ cell, answer, choosing, picture }: AnsweredProps) {
  const { chart } = cell
  const template = kpiTemplateOf(chart)
  const { value = null, previous } = answer.kpi ?? {}
  const format = formatOfTile(chart, answer.fields)
  const isShare = format?.style === 'percent' && isRatio(chart)
  if (!kpiTemplates.some((known) => known === template)) return <Text size="sm">Invalid template name</Text>
  return (
    <div className={css['tile']}>
      <Group gap={10} align={template === ratioTemplate ? 'center' : 'baseline'} wrap="wrap">
        {template === ratioTemplate ? (
          <ShareGauge chart={chart} value={value} picture={picture} />
        ) : (
          <Value chart={chart} value={value} format={format} />
        )}
        {value !== null && previous !== undefined && (
          <Change
            value={isShare ? value * 100 : value}
            previous={isShare && previous !== null ? previous * 100 : previous}
            unit={isShare || template === ratioTemplate ? 'points' : '%'}
          />
        )}
      </Group>
      {hasOwnRange(chart) && <OwnRange cell={cell} choosing={choosing} />}
    </div>
  )
}

/** The format of the tile's value: its own, or that of the field from which it is computed. */
function formatOfTile(chart: CellChart, fields: readonly KnownField[]): FieldFormat | undefined {
  const { values: [value = 'count'] = [], formats } = groupingOfChart(chart, fields) ?? {}
  return (formats ?? chart.portico?.formats)?.[value]
}

/** Whether the number is a ratio of two others. */
const isRatio = ({ filter }: CellChart): boolean =>
  filter !== undefined && findGroup(parseFilter(filter))?.group.values[0]?.ratio !== undefined

type ValueProps = { chart: CellChart; value: number | null; format: FieldFormat | undefined }

function Value({ chart, value, format }: ValueProps) {
  const [colour] = chart.options.colors ?? []
  if (value === null) return <span className={css['value']}>N/A</span>
  const figure = formatComputed(value, format)
  return (
    <span
      className={css['value']}
      style={{ '--kpi': colour } as CSSProperties}
      title={exactComputed(value, format) ?? figure}
    >
      {!chart.formatNumbers || chart.portico?.formats
        ? figure
        : format
          ? shortFigure(value, format)
          : abbreviate(value)}
    </span>
  )
}

/** Abbreviated above 1,000, as without a format. */
const shortFigure = (value: number, format: FieldFormat): string =>
  Math.abs(value) <= 1000 ? formatComputed(value, format) : formatShort(value, format)

type ChangeProps = { value: number; previous: number | null; unit: '%' | 'points' }

/** The change from the previous period of the same length: of shares in points, otherwise in percent. */
function Change({ value, previous, unit }: ChangeProps) {
  const change = changeOf({ value, previous, unit })
  if (change === null) {
    return (
      <Text size="sm" c="dimmed">
        {previous === 0 ? '0 in the period before' : 'nothing in the period before'}
      </Text>
    )
  }
  const isUp = change >= 0
  const Icon = isUp ? IconArrowUpRight : IconArrowDownRight
  return (
    <Text size="sm" c="dimmed" component="span">
      <span className={css['change']} data-up={isUp || undefined}>
        <Icon size={14} aria-hidden />
        <span className={css['spoken']}>{isUp ? 'up' : 'down'}</span>
        {` ${Math.abs(change).toFixed(1)}${unit === '%' ? '%' : ' points'}`}
      </span>
      {' vs the period before'}
    </Text>
  )
}

/** Null without a figure for the previous period, and for growth from zero. */
function changeOf({ value, previous, unit }: ChangeProps): number | null {
  if (previous === null) return null
  if (unit === 'points') return value - previous
  return previous === 0 ? null : ((value - previous) / Math.abs(previous)) * 100
}

/** A share in percent of a maximum, in bands of equal width. */
function ShareGauge({
  chart,
  value,
  picture,
}: { chart: CellChart; value: number | null } & Pick<AnsweredProps, 'picture'>) {
  const { gaugeMaxValue: max, gaugeColors } = chart
  if (value === null || max === 0) return <span className={css['value']}>N/A</span>
  const text = `${formatNumber(Number(value.toFixed(1)))}%`
  return (
    <div className={css['gauge']}>
      <Gauge
        label={chart.title || 'Share'}
        value={value}
        max={max}
        colors={gaugeColors}
        text={text}
        format={(each) => formatNumber(Number(each.toFixed(1)))}
        height={118}
        ref={picture}
      />
    </div>
  )
}

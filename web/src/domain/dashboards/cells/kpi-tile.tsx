import { kpiTemplateOf, kpiTemplates, ratioTemplate, type CellChart } from '@portico/contract/dashboards/cell-chart'
import { hasOwnRange } from '@portico/contract/dashboards/narrowing'
import { Group, Text } from '@mantine/core'
import type { CSSProperties } from 'react'
import IconArrowDownRight from '#icons/IconArrowDownRight'
import IconArrowUpRight from '#icons/IconArrowUpRight'
import { formatNumber } from '#lib/formats.ts'
import type { AnsweredProps } from './cell-props.ts'
import css from './kpi-tile.module.css'
import { abbreviated } from './numbers.ts'
import { OwnRange } from './own-range.tsx'

/** One number, by one of four templates (specification 4 §2). */
export function KpiTile({ cell, answer, choosing }: AnsweredProps) {
  const { chart } = cell
  const template = kpiTemplateOf(chart)
  const { value = null, previous } = answer.kpi ?? {}
  if (!kpiTemplates.some((known) => known === template)) return <Text size="sm">Invalid template name</Text>
  return (
    <div className={css['tile']}>
      <Group gap={10} align="baseline" wrap="wrap">
        {template === ratioTemplate ? <Gauge chart={chart} value={value} /> : <Value chart={chart} value={value} />}
        {previous !== undefined && <Change value={value} previous={previous} />}
      </Group>
      {hasOwnRange(chart) && <OwnRange cell={cell} choosing={choosing} />}
    </div>
  )
}

function Value({ chart, value }: { chart: CellChart; value: number | null }) {
  const [colour] = chart.options.colors ?? []
  if (value === null) return <span className={css['value']}>N/A</span>
  const exact = formatNumber(Number(value.toPrecision(10)))
  return (
    <span className={css['value']} style={{ '--kpi': colour } as CSSProperties} title={exact}>
      {chart.formatNumbers ? abbreviated(value) : exact}
    </span>
  )
}

/** The change against the period of the same length before. */
function Change({ value, previous }: { value: number | null; previous: number | null }) {
  if (value === null || previous === null || previous === 0) {
    return (
      <Text size="sm" c="dimmed">
        no period before to compare with
      </Text>
    )
  }
  const change = ((value - previous) / Math.abs(previous)) * 100
  const isUp = change >= 0
  const Icon = isUp ? IconArrowUpRight : IconArrowDownRight
  return (
    <Text size="sm" c="dimmed" component="span">
      <span className={css['change']} data-up={isUp || undefined}>
        <Icon size={14} aria-hidden />
        <span className={css['spoken']}>{isUp ? 'up' : 'down'}</span>
        {` ${Math.abs(change).toFixed(1)}%`}
      </span>
      {' vs the period before'}
    </Text>
  )
}

const usualBands = ['#c92a2a', '#f08c00', '#2b8a3e']

/** A share in per cent of a maximum, in bands of equal width. A value above the maximum is drawn full. */
function Gauge({ chart, value }: { chart: CellChart; value: number | null }) {
  const { gaugeMaxValue: most, gaugeColors } = chart
  const bands = gaugeColors?.length ? gaugeColors : usualBands
  if (value === null || most === 0) return <span className={css['value']}>N/A</span>
  const share = Math.min(1, Math.max(0, value / most))
  const label = `${formatNumber(Number(value.toFixed(1)))}%`
  return (
    <figure className={css['figure']} aria-label={`${label} of at most ${most}%`}>
      <svg className={css['gauge']} viewBox="0 0 200 116" aria-hidden>
        {bands.map((colour, at) => (
          // Bands may have the same colour.
          <path
            key={at}
            d={arc(at / bands.length, (at + 1) / bands.length, 84)}
            stroke={colour}
            className={css['band']}
          />
        ))}
        <path d={needle(share)} className={css['needle']} />
        <text x="100" y="112" className={css['label']}>
          {label}
        </text>
      </svg>
    </figure>
  )
}

/** A point of the half circle, from 0 (left) to 1 (right). */
function point(share: number, radius: number): [number, number] {
  const angle = Math.PI * (1 - share)
  return [100 + radius * Math.cos(angle), 96 - radius * Math.sin(angle)]
}

function arc(from: number, to: number, radius: number): string {
  const [start, end] = [point(from, radius), point(to, radius)]
  return `M ${start.join(' ')} A ${radius} ${radius} 0 0 1 ${end.join(' ')}`
}

function needle(share: number): string {
  return `M 100 96 L ${point(share, 66).join(' ')}`
}

import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { isChartKind } from '@portico/contract/dashboards/cell-kinds'
import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMemo } from 'react'
import { CellContent } from '#domain/dashboards'
import css from './chart-configuration-dialog.module.css'
import { type Problems, problemsOf } from './chart-problems.ts'

const previewDelayMs = 400

/** A preview of the cell, once it is complete. */
export function CellPreview({ chart, problems }: { chart: CellChart; problems: Problems }) {
  const [shown] = useDebouncedValue(chart, previewDelayMs)
  const source = useMemo(() => ({ kind: 'edited' as const, chart: asked(shown) }), [shown])
  const isComplete = problems.length === 0 && problemsOf(shown).length === 0
  return (
    <section className={css['preview']} aria-label="Preview">
      <Text fw={600} size="sm" mb={6}>
        {shown.title || 'Preview'}
      </Text>
      {isComplete ? (
        <CellContent
          cell={{ id: 'preview', cols: 12, chart: shown }}
          source={source}
          choosing={null}
          shows="chart"
          isVisible
        />
      ) : (
        <Text size="sm" c="dimmed">
          {problems[0]?.message ?? ' '}
        </Text>
      )}
    </section>
  )
}

/** A cell with other options or formats has the same answer, which is not requested again. */
function asked({ portico, ...chart }: CellChart): CellChart {
  const { formats: _formats, display: _display, ...others } = portico ?? {}
  const same = portico ? { ...chart, portico: others } : chart
  return isChartKind(chart.type) ? { ...same, title: '', options: { colors: ['#000000'] } } : same
}

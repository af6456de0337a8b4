import type { CellAnswer, Dashboard } from '@portico/contract/dashboards'
import { isChartKind } from '@portico/contract/dashboards/cell-kinds'
import type { DashboardCell, Definition } from '@portico/contract/dashboards/definition'
import { ActionIcon, Paper, Tooltip } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import IconChartBar from '#icons/IconChartBar'
import IconTable from '#icons/IconTable'
import {
  CellContent,
  CellDates,
  CellHead,
  CellMenu,
  type CellRow,
  type CellSource,
  type Choosing,
  RowEvents,
  isDated,
  useIsPrinting,
  interactionOfCell,
} from '#domain/dashboards'
import { useCan } from '#lib/session/session.ts'
import type { ChartHandle } from '#ui/chart/chart.tsx'
import { useNear } from '#ui/page/use-near.ts'
import css from './cell-frame.module.css'

type CellFrameProps = {
  dashboard: Pick<Dashboard, '_id' | 'version'>
  definition: Definition
  cell: DashboardCell
  choosing: Choosing
}

/** A cell in view mode: its title, the toggle between chart and table, its menu and its content. */
export function CellFrame({ dashboard, definition, cell, choosing }: CellFrameProps) {
  const ref = useRef<HTMLDivElement>(null)
  const isNear = useNear(ref, useIsPrinting())
  const [shows, setShows] = useState<'chart' | 'table'>('chart')
  const [dates, setDates] = useState<CellAnswer['dates']>()
  const [hidden, setHidden] = useState<readonly string[]>([])
  const [picture, setPicture] = useState<ChartHandle | null>(null)
  const canOpen = useCan('contact-offers-list')
  const [opened, setOpened] = useState<{ row: CellRow | null } | null>(null)
  const { _id, version } = dashboard
  const { chart, id } = cell
  const { interaction } = choosing
  const source = useMemo<CellSource>(
    () => ({
      kind: 'stored',
      dashboard: { _id, version },
      cell: id,
      interaction: chart ? interactionOfCell(interaction, id, chart) : interaction,
    }),
    [_id, version, id, chart, interaction],
  )
  if (!chart) return null
  const isChart = isChartKind(chart.type)
  const filled = { ...cell, chart }
  return (
    <Paper ref={ref} component="section" className={css['cell'] ?? ''} aria-label={chart.title || chart.type}>
      <CellHead chart={chart}>
        {isChart && (
          <Tooltip label={shows === 'chart' ? 'Show as table' : 'Show as chart'}>
            <ActionIcon
              size={24}
              aria-label={shows === 'chart' ? 'Show as table' : 'Show as chart'}
              onClick={() => setShows(shows === 'chart' ? 'table' : 'chart')}
            >
              {shows === 'chart' ? <IconTable size={16} aria-hidden /> : <IconChartBar size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
        <CellMenu
          {...{ cell: filled, source, definition, interaction, picture }}
          hidden={hidden}
          onHide={setHidden}
          onEvents={() => setOpened({ row: null })}
        />
      </CellHead>
      {isDated(definition, id, chart) && <CellDates dates={dates} />}
      <CellContent
        cell={filled}
        source={source}
        choosing={choosing}
        shows={isChart ? shows : 'table'}
        isVisible={isNear}
        hidden={hidden}
        picture={setPicture}
        onDates={setDates}
        onOpenRow={canOpen ? (row) => setOpened({ row }) : null}
      />
      {opened && (
        <RowEvents
          cell={filled}
          definition={definition}
          choosing={choosing}
          row={opened.row}
          onClose={() => setOpened(null)}
        />
      )}
    </Paper>
  )
}

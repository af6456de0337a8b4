import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { DashboardCell } from '@portico/contract/dashboards/definition'
import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import { Button, Paper, Slider } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import IconArrowDown from '#icons/IconArrowDown'
import IconArrowLeft from '#icons/IconArrowLeft'
import IconArrowRight from '#icons/IconArrowRight'
import IconArrowUp from '#icons/IconArrowUp'
import IconCopy from '#icons/IconCopy'
import IconPlus from '#icons/IconPlus'
import IconRowInsertBottom from '#icons/IconRowInsertBottom'
import IconSettings from '#icons/IconSettings'
import IconTrash from '#icons/IconTrash'
import { CellContent, CellHead, type CellSource } from '#domain/dashboards'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { useNear } from '#ui/page/use-near.ts'
import css from '../cell-frame.module.css'
import { NewCellDialog } from '../adding/new-cell-dialog.tsx'
import { widthOf } from '../adding/suggestions.ts'
import { ChartConfigurationDialog } from '../configuration/chart-configuration-dialog.tsx'
import {
  addCell,
  canMove,
  copyCell,
  deleteCell,
  type Direction,
  isFull,
  type Layout,
  move,
  placeOf,
  setChart,
  setWidth,
  startRow,
} from './layout.ts'

type EditedCellProps = {
  cell: DashboardCell
  layout: Layout
  onChange: (next: (layout: Layout) => Layout) => void
}

const moves: { direction: Direction; label: string; Icon: typeof IconArrowLeft }[] = [
  { direction: 'left', label: 'Move left', Icon: IconArrowLeft },
  { direction: 'right', label: 'Move right', Icon: IconArrowRight },
  { direction: 'up', label: 'Move up', Icon: IconArrowUp },
  { direction: 'down', label: 'Move down', Icon: IconArrowDown },
]

const full = `A dashboard has at most ${dashboardLimits.cells} cells.`

/** A cell in edit mode, with its controls (specification 4 §2). */
export function EditedCell({ cell, layout, onChange }: EditedCellProps) {
  const ref = useRef<HTMLDivElement>(null)
  const isNear = useNear(ref, false)
  const { id, chart, cols } = cell
  const [dialog, setDialog] = useState<'configuration' | 'new' | null>(null)
  const close = (): void => setDialog(null)
  const add = (next: CellChart): void => {
    onChange((now) => addCell(now, id, { cols: widthOf(next), chart: next }))
    // The button that requested the content is gone.
    if (!chart) requestAnimationFrame(() => ref.current?.querySelector('button')?.focus())
  }
  const source = useMemo<CellSource | null>(() => (chart ? { kind: 'edited', chart } : null), [chart])
  const name = chart?.title || chart?.type || 'empty cell'
  const why = isFull(layout) ? full : null
  return (
    <Paper ref={ref} component="section" className={css['cell'] ?? ''} aria-label={`Edit ${name}`}>
      <div className={css['controls']} role="toolbar" aria-label={`Controls of ${name}`}>
        <RowButton
          label={`Configure ${name}`}
          hint="Configure"
          Icon={IconSettings}
          onClick={() => setDialog(chart ? 'configuration' : 'new')}
        />
        {moves.map(({ direction, label, Icon }) => (
          <RowButton
            key={direction}
            label={`${label}: ${name}`}
            hint={label}
            Icon={Icon}
            reason={canMove(layout, id, direction) ? null : 'It cannot move further.'}
            onClick={() => onChange((now) => move(now, id, direction))}
          />
        ))}
        <RowButton
          label={`Start a new row with ${name}`}
          hint="Start a new row"
          Icon={IconRowInsertBottom}
          reason={placeOf(layout, id)?.at === 0 ? 'It starts a row already.' : null}
          onClick={() => onChange((now) => startRow(now, id))}
        />
        <RowButton
          label={`Copy ${name}`}
          hint="Copy"
          Icon={IconCopy}
          reason={why}
          onClick={() => onChange((now) => copyCell(now, id))}
        />
        <RowButton
          label={`Add a cell after ${name}`}
          hint="Add a cell"
          Icon={IconPlus}
          reason={why}
          onClick={() => setDialog('new')}
        />
        <Slider
          className={css['slider'] ?? ''}
          size="xs"
          label={(value) => `${value} of 12 columns`}
          thumbLabel={`Width of ${name}`}
          min={dashboardLimits.cellWidth.least}
          max={dashboardLimits.cellWidth.most}
          step={1}
          value={cols}
          onChange={(value) => onChange((now) => setWidth(now, id, value))}
        />
        <RowButton
          label={`Delete ${name}`}
          hint="Delete"
          Icon={IconTrash}
          color="red.8"
          onClick={() => onChange((now) => deleteCell(now, id))}
        />
      </div>
      {chart && source ? (
        <>
          <CellHead chart={chart} />
          <CellContent cell={{ ...cell, chart }} source={source} choosing={null} shows="chart" isVisible={isNear} />
        </>
      ) : (
        <div className={css['empty']}>
          <Button variant="default" onClick={() => setDialog('new')}>
            Choose what it shows
          </Button>
        </div>
      )}
      {dialog === 'configuration' && (
        <ChartConfigurationDialog
          cell={cell}
          cells={layout.flat()}
          onSave={(next) => onChange((now) => setChart(now, id, next))}
          onClose={close}
        />
      )}
      {dialog === 'new' && <NewCellDialog cells={layout.flat()} onChosen={add} onClose={close} />}
    </Paper>
  )
}

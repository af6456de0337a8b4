import type { Dashboard } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import { type CSSProperties, useDeferredValue } from 'react'
import { ChosenBar, isNarrowed, useInteraction, useIsPrinting } from '#domain/dashboards'
import { CellFrame } from './cell-frame.tsx'
import css from './dashboard-view.module.css'

type DashboardViewProps = {
  dashboard: Dashboard
  definition: Definition
}

/** About as many as fit on a screen. */
const firstRows = 5

/** The rows and cells of a dashboard. On a phone, cells are stacked. */
export function DashboardView({ dashboard, definition }: DashboardViewProps) {
  const { interaction, change, isShareable } = useInteraction()
  const isPrinting = useIsPrinting()
  // Rendering many rows at once would block the page as it opens: those below follow a moment later.
  const rowCount = useDeferredValue(definition.layout.length, isPrinting ? definition.layout.length : firstRows)
  return (
    <div className={css['dashboard']}>
      {isNarrowed(definition, interaction) && (
        <ChosenBar definition={definition} interaction={interaction} onChange={change} isShareable={isShareable} />
      )}
      {definition.layout.slice(0, rowCount).map((row, at) => (
        // Rows have no id; the first cell's does not change when other cells move.
        <div key={row[0]?.id ?? at} className={css['row']}>
          {row.map((cell) => (
            <div
              key={cell.id}
              className={css['cell']}
              style={{ '--cols': cell.cols } as CSSProperties}
              data-cell={cell.id}
            >
              <CellFrame dashboard={dashboard} definition={definition} cell={cell} choosing={{ interaction, change }} />
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

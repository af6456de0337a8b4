import type { Dashboard } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import { type CSSProperties, useDeferredValue } from 'react'
import { ChosenBar, isUntouched, useInteraction, useIsPrinting } from '#domain/dashboards'
import { CellFrame } from './cell-frame.tsx'
import css from './dashboard-view.module.css'

type DashboardViewProps = {
  dashboard: Dashboard
  definition: Definition
}

/** About as many as a screen shows. */
const firstRows = 5

/** The rows and cells of a dashboard. On a phone they are below each other. */
export function DashboardView({ dashboard, definition }: DashboardViewProps) {
  const { interaction, change, isShareable } = useInteraction()
  const isPrinting = useIsPrinting()
  // Drawing many rows at once would hold up the page as it opens: those below come a moment later.
  const rowCount = useDeferredValue(definition.layout.length, isPrinting ? definition.layout.length : firstRows)
  return (
    <div className={css['dashboard']}>
      {!isUntouched(interaction) && (
        <ChosenBar definition={definition} interaction={interaction} onChange={change} isShareable={isShareable} />
      )}
      {definition.layout.slice(0, rowCount).map((row, at) => (
        // Rows have no id of their own; the first cell's does not change when others move.
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

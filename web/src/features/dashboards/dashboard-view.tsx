import type { Dashboard } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import { Button, Group } from '@mantine/core'
import type { CSSProperties } from 'react'
import IconArrowBackUp from '#icons/IconArrowBackUp'
import IconArrowForwardUp from '#icons/IconArrowForwardUp'
import { ChosenBar, useInteraction } from '#domain/dashboards'
import { CellFrame } from './cell-frame.tsx'
import css from './dashboard-view.module.css'
import type { useLayoutEditing } from './editing/use-layout-editing.ts'
import { EditedCell } from './editing/edited-cell.tsx'

type DashboardViewProps = {
  dashboard: Dashboard
  /** As it is on screen, changes included. */
  definition: Definition
  /** Null in view mode. */
  editing: ReturnType<typeof useLayoutEditing> | null
  /** Null for those who may not save it. */
  onSave: (() => void) | null
}

/** The rows and cells of a dashboard. On a phone they are below each other. */
export function DashboardView({ dashboard, definition, editing, onSave }: DashboardViewProps) {
  const { interaction, change, isShareable } = useInteraction()
  return (
    <div className={css['dashboard']}>
      {editing ? (
        <EditBar editing={editing} onSave={onSave} />
      ) : (
        <ChosenBar definition={definition} interaction={interaction} onChange={change} isShareable={isShareable} />
      )}
      {definition.layout.map((row, at) => (
        // Rows have no id of their own; the first cell's does not change when others move.
        <div key={row[0]?.id ?? at} className={css['row']}>
          {row.map((cell) => (
            <div
              key={cell.id}
              className={css['cell']}
              style={{ '--cols': cell.cols } as CSSProperties}
              data-cell={cell.id}
            >
              {editing ? (
                <EditedCell cell={cell} layout={definition.layout} onChange={editing.change} />
              ) : (
                <CellFrame
                  dashboard={dashboard}
                  definition={definition}
                  cell={cell}
                  choosing={{ interaction, change }}
                />
              )}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

function EditBar({
  editing,
  onSave,
}: {
  editing: NonNullable<DashboardViewProps['editing']>
  onSave: (() => void) | null
}) {
  const { canUndo, canRedo, isChanged, undo, redo } = editing
  return (
    <Group gap="xs" className={css['edit-bar'] ?? ''} role="toolbar" aria-label="Changes">
      <Button
        variant="default"
        leftSection={<IconArrowBackUp size={15} aria-hidden />}
        disabled={!canUndo}
        onClick={undo}
      >
        Undo
      </Button>
      <Button
        variant="default"
        leftSection={<IconArrowForwardUp size={15} aria-hidden />}
        disabled={!canRedo}
        onClick={redo}
      >
        Redo
      </Button>
      {isChanged && onSave && <Button onClick={onSave}>Save changes</Button>}
      <span className={css['hint']}>
        {isChanged ? 'You have unsaved changes.' : 'Configure, move, resize, copy or delete cells.'}
      </span>
    </Group>
  )
}

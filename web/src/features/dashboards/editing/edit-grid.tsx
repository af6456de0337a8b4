import type { Definition } from '@portico/contract/dashboards/definition'
import { Button, Group } from '@mantine/core'
import type { CSSProperties } from 'react'
import IconArrowBackUp from '#icons/IconArrowBackUp'
import IconArrowForwardUp from '#icons/IconArrowForwardUp'
import css from '../dashboard-view.module.css'
import { CellPlace, DragArea, RowGap } from './cell-dragging.tsx'
import { EditedCell } from './edited-cell.tsx'
import type { useLayoutEditing } from './use-layout-editing.ts'

type EditGridProps = {
  definition: Definition
  editing: ReturnType<typeof useLayoutEditing>
  /** Null for users who may not save the dashboard. */
  onSave: (() => void) | null
}

/** The rows and cells of a dashboard with their controls, and undo and redo above them. */
export function EditGrid({ definition, editing, onSave }: EditGridProps) {
  const { layout } = definition
  return (
    <div className={css['dashboard']}>
      <EditBar editing={editing} onSave={onSave} />
      <DragArea layout={layout} onChange={editing.change}>
        {layout.map((row, at) => (
          // Rows have no id; the first cell's does not change when other cells move.
          <div key={row[0]?.id ?? at} className={css['edited-row']}>
            <RowGap row={at} />
            <div className={css['row']}>
              {row.map((cell) => (
                <div
                  key={cell.id}
                  className={css['cell']}
                  style={{ '--cols': cell.cols } as CSSProperties}
                  data-cell={cell.id}
                >
                  <CellPlace id={cell.id}>
                    <EditedCell cell={cell} layout={layout} onChange={editing.change} />
                  </CellPlace>
                </div>
              ))}
            </div>
            {at === layout.length - 1 && <RowGap row={layout.length} />}
          </div>
        ))}
      </DragArea>
    </div>
  )
}

function EditBar({ editing, onSave }: Omit<EditGridProps, 'definition'>) {
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

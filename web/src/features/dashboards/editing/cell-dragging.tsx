import {
  DndContext,
  type DragEndEvent,
  DragOverlay,
  PointerSensor,
  pointerWithin,
  useDndContext,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import IconGripVertical from '#icons/IconGripVertical'
import css from './cell-dragging.module.css'
import { type Layout, moveTo, moveToNewRow, placeOf } from './layout.ts'

// Dragging is for mouse and touch. The keyboard uses the buttons of each cell.

/** Where a cell can be dropped. */
type Target = { kind: 'before' | 'after'; id: string } | { kind: 'row'; row: number }

type DragAreaProps = {
  layout: Layout
  onChange: (next: (layout: Layout) => Layout) => void
  children: ReactNode
}

/** The part of the page in which cells can be dragged. */
export function DragArea({ layout, onChange, children }: DragAreaProps) {
  // A click on the handle is not a drag, and a finger scrolls until it rests.
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 5 } }))
  const onDragEnd = ({ active, over }: DragEndEvent): void => {
    const target = over?.data.current as Target | undefined
    if (target) onChange((now) => dropped(now, String(active.id), target))
  }
  return (
    <DndContext sensors={sensors} collisionDetection={pointerWithin} onDragEnd={onDragEnd}>
      {children}
      <DragOverlay dropAnimation={null}>
        <Dragged layout={layout} />
      </DragOverlay>
    </DndContext>
  )
}

function dropped(layout: Layout, id: string, target: Target): Layout {
  if (target.kind === 'row') return moveToNewRow(layout, id, target.row)
  const place = placeOf(layout, target.id)
  return place && target.id !== id
    ? moveTo(layout, id, { row: place.row, at: target.kind === 'before' ? place.at : place.at + 1 })
    : layout
}

function Dragged({ layout }: { layout: Layout }) {
  const { active } = useDndContext()
  const chart = layout.flat().find(({ id }) => id === active?.id)?.chart
  return (
    <Paper shadow="md" p="xs" className={css['dragged'] ?? ''}>
      <Text size="sm" fw={600}>
        {chart?.title || chart?.type || 'Empty cell'}
      </Text>
    </Paper>
  )
}

/** A cell of the grid: it can be dragged by its handle, and accepts other cells before and after it. */
export function CellPlace({ id, children }: { id: string; children: ReactNode }) {
  const { setNodeRef, listeners, isDragging } = useDraggable({ id })
  const isDropping = useDndContext().active !== null
  return (
    <div ref={setNodeRef} className={css['place']} data-dragging={isDragging || undefined}>
      <span {...listeners} className={css['handle']} title="Drag to move" aria-hidden data-handle>
        <IconGripVertical size={16} />
      </span>
      {children}
      {isDropping && !isDragging && (
        <>
          <Half id={id} kind="before" />
          <Half id={id} kind="after" />
        </>
      )}
    </div>
  )
}

function Half({ id, kind }: { id: string; kind: 'before' | 'after' }) {
  const { setNodeRef, isOver } = useDroppable({ id: `${kind} ${id}`, data: { kind, id } })
  return <div ref={setNodeRef} className={css['half']} data-kind={kind} data-over={isOver || undefined} />
}

/** The space above a row, where a dropped cell creates a new one. */
export function RowGap({ row }: { row: number }) {
  const { setNodeRef, isOver } = useDroppable({ id: `row ${row}`, data: { kind: 'row', row } })
  const isDropping = useDndContext().active !== null
  return (
    <div ref={setNodeRef} className={css['gap']} data-open={isDropping || undefined} data-over={isOver || undefined} />
  )
}

import type { Field, Offer } from '@portico/contract/contacts'
import { Popover } from '@mantine/core'
import { type KeyboardEvent, type MouseEvent, useRef } from 'react'
import IconPencil from '#icons/IconPencil'
import { FieldEditor } from '../on-demand.ts'
import type { CellEditing } from './cell-editing.ts'
import { valueOf } from './edited-value.ts'
import { moveFocus } from './move-focus.ts'
import css from './editable-cell.module.css'

type EditableCellProps = {
  offer: Offer
  field: Field
  text: string
  className: string | undefined
  editing: CellEditing
}

const stop = (event: MouseEvent): void => event.stopPropagation()

/**
 * A value of the table that a double click on its cell, or Enter on it, edits in place. The cells are one stop of the Tab
 * key; arrow keys lead from one to the next.
 */
export function EditableCell({ offer, field, text, className, editing }: EditableCellProps) {
  const { name } = field
  const cell = useRef<HTMLSpanElement>(null)
  const isOpen = editing.isOpen(offer, name)
  function close(): void {
    editing.close()
    // The editor is removed first.
    setTimeout(() => cell.current?.focus())
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key === 'Enter' || event.key === ' ' || event.key === 'F2') {
      event.preventDefault()
      editing.open(offer, name)
    } else if (moveFocus(event.currentTarget, event.key)) event.preventDefault()
  }
  return (
    <Popover
      opened={isOpen}
      onChange={(isWanted) => !isWanted && editing.leave()}
      position="bottom-start"
      width={260}
      shadow="md"
      withinPortal
    >
      <Popover.Target>
        <span
          ref={cell}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the text of a button element cannot be selected
          role="button"
          tabIndex={editing.isStop(offer, name) ? 0 : -1}
          className={css['cell']}
          data-open={isOpen || undefined}
          {...(text === '' && { 'aria-label': 'No value' })}
          title={`Edit ${name}`}
          onFocus={() => editing.onFocus(offer, name)}
          onKeyDown={onKeyDown}
          // The click of a screen reader; that of a mouse counts from 1, and opens the row.
          onClick={({ detail }) => detail === 0 && editing.open(offer, name)}
        >
          <span className={className} title={`${text}\nDouble-click to edit`}>
            {text}
          </span>
          <IconPencil size={12} className={css['hint']} aria-hidden />
        </span>
      </Popover.Target>
      {/* It is part of the row to React, which would take its clicks for those of the row. */}
      <Popover.Dropdown p="xs" onClick={stop} onDoubleClick={stop} aria-label={`Edit ${name}`}>
        <FieldEditor
          contact={offer._id}
          field={field}
          value={valueOf(offer[name])}
          onTyped={editing.onTyped}
          onClose={close}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

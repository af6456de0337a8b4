import { ActionIcon, Group, Text, Tooltip } from '@mantine/core'
import { useState } from 'react'
import IconPencil from '#icons/IconPencil'
import IconTrash from '#icons/IconTrash'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { notifyCancelled } from '#domain/access'
import css from './entry-list.module.css'

type EntryListProps = {
  /** 'action', 'condition' */
  noun: string
  entries: readonly string[]
  /** Index of the entry being edited. */
  edited: number | null
  onEdit: (index: number) => void
  onDelete: (index: number) => void
  /** Why no entry can be deleted now. */
  keepReason?: string | null
  empty: string
  /** An entry in plain words, shown above its raw form. */
  inWords: (entry: string) => string
}

/** Actions or conditions of a policy, numbered, each with buttons to edit and delete it. Deleting asks first. */
export function EntryList({
  noun,
  entries,
  edited,
  onEdit,
  onDelete,
  keepReason = null,
  empty,
  inWords,
}: EntryListProps) {
  const [asked, setAsked] = useState<number | null>(null)
  return (
    <>
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed" my={4}>
          {empty}
        </Text>
      ) : (
        <ol className={css['list']}>
          {entries.map((entry, index) => (
            <li key={entry} data-edited={edited === index || undefined}>
              <div className={css['entry']}>
                <span>{inWords(entry)}</span>
                <code>{entry}</code>
              </div>
              <Group gap={2} wrap="nowrap">
                <Tooltip label="Edit">
                  <ActionIcon size={24} aria-label={`Edit ${noun} ${index + 1}`} onClick={() => onEdit(index)}>
                    <IconPencil size={16} aria-hidden />
                  </ActionIcon>
                </Tooltip>
                <RowButton
                  label={`Delete ${noun} ${index + 1}`}
                  hint="Delete"
                  Icon={IconTrash}
                  reason={keepReason}
                  onClick={() => setAsked(index)}
                />
              </Group>
            </li>
          ))}
        </ol>
      )}
      <ConfirmDialog
        isOpen={asked !== null}
        title={`Delete ${noun}`}
        question={
          <>
            Are you sure?
            <br />
            <code>{asked === null ? '' : entries[asked]}</code>
          </>
        }
        confirmLabel="Yes, delete it"
        onConfirm={() => {
          if (asked !== null) onDelete(asked)
          setAsked(null)
        }}
        onClose={() => {
          setAsked(null)
          notifyCancelled()
        }}
      />
    </>
  )
}

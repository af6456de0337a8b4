import { Button, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import IconCheck from '#icons/IconCheck'
import IconPlus from '#icons/IconPlus'
import css from './entry-list.module.css'

type EntryBuilderProps = {
  noun: string
  isEditing: boolean
  /** The problem of the list. */
  error: string | undefined
  onSubmit: () => void
  onCancel: () => void
  /** Three fields, or as many as `fields` says. */
  children: ReactNode
  fields?: 4
}

/** The fields of one entry side by side, and the buttons that add or change it. */
export function EntryBuilder(props: EntryBuilderProps) {
  const { noun, isEditing, error, onSubmit, onCancel, children, fields } = props
  const Icon = isEditing ? IconCheck : IconPlus
  return (
    <>
      <div className={css['builder']} data-fields={fields}>
        {children}
        <div className={css['buttons']}>
          <Button variant="light" leftSection={<Icon size={15} aria-hidden />} onClick={onSubmit}>
            {isEditing ? `Change ${noun}` : `Add ${noun}`}
          </Button>
          {isEditing && (
            <Button variant="subtle" color="gray" onClick={onCancel}>
              Cancel
            </Button>
          )}
        </div>
      </div>
      {error && (
        <Text c="var(--mantine-color-error)" size="xs" mt={6} role="alert">
          {error}
        </Text>
      )}
    </>
  )
}

import { maxDedupColumns, maxPurlColumns } from '@portico/contract/imports'
import { Stack, TagsInput, Text } from '@mantine/core'
import { leftOutNote, type LeftOutColumns } from '../new-import/carried-columns.ts'
import type { Suggestions } from '../new-import/column-suggestions.ts'
import type { ReactNode } from 'react'
import css from './column-tab.module.css'
import type { NewImportForm } from '../new-import/new-import-form-state.ts'
import { type ColumnField, lockedHint } from '../new-import/new-import-rules.ts'

const kinds = {
  purl: {
    field: 'purlColumns',
    label: 'PURL Columns',
    max: maxPurlColumns,
    about:
      'The values of these columns, joined in plain letters and digits, form the personalised URL of a contact, such as janedoe.',
  },
  dedup: {
    field: 'dedupColumns',
    label: 'Dedup Columns',
    max: maxDedupColumns,
    about:
      'Rows with the same values in these columns are the same contact. A row for a known contact updates it instead of adding another.',
  },
} as const

type ColumnTabProps = {
  kind: keyof typeof kinds
  form: NewImportForm
  isLocked: boolean
  suggestions: Suggestions
  /** Problems of the fields that name columns missing from the file. */
  missing: Partial<Record<ColumnField, string>>
  leftOut: LeftOutColumns
  /** Shown below. */
  children?: ReactNode
}

/** Chooses columns, by the names in the file or of existing contact fields. */
export function ColumnTab({ kind, form, isLocked, suggestions, missing, leftOut, children }: ColumnTabProps) {
  const { field, label, max, about } = kinds[kind]
  const chosen = form.values[field]
  const input = form.getInputProps(field)
  const note = leftOutNote(leftOut[field])
  return (
    <Stack gap="sm" mih={{ base: 340, sm: 480 }}>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
      <TagsInput
        label={label}
        withAsterisk
        description={isLocked ? lockedHint : `${chosen.length} of at most ${max}. Press Enter after a name.`}
        placeholder={isLocked || chosen.length >= max ? '' : 'Column name'}
        data={suggestions}
        limit={50}
        styles={{ options: { maxHeight: 190 } }}
        maxTags={max}
        disabled={isLocked}
        classNames={{ inputField: css['field'] ?? '', pill: css['pill'] ?? '' }}
        {...input}
        error={input.error ?? missing[field]}
      />
      {note !== null && (
        <Text size="sm" component="output">
          {note}
        </Text>
      )}
      {children}
    </Stack>
  )
}

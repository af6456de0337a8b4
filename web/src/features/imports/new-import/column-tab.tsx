import { maxDedupColumns, maxPurlColumns } from '@portico/contract/imports'
import { Stack, TagsInput, Text } from '@mantine/core'
import type { Suggestions } from './column-suggestions.ts'
import css from './column-tab.module.css'
import { missingColumns } from './file-header.ts'
import type { NewImportForm } from './new-import-form-state.ts'
import { lockedHint } from './new-import-rules.ts'

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
  /** Of the chosen file, where they are known. */
  columns: string[] | null
}

/** Chooses columns, by the names in the file or of fields that contacts have already. */
export function ColumnTab({ kind, form, isLocked, suggestions, columns }: ColumnTabProps) {
  const { field, label, max, about } = kinds[kind]
  const chosen = form.values[field]
  const missing = missingColumns(chosen, columns)
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
        {...form.getInputProps(field)}
      />
      {missing && (
        <Text component="output" display="block" size="xs">
          {missing} An import without it will be rejected.
        </Text>
      )}
    </Stack>
  )
}

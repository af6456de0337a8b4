import { Alert, Autocomplete, CloseButton, Select, SimpleGrid, Stack, Switch } from '@mantine/core'
import IconInfoCircle from '#icons/IconInfoCircle'
import { BatchSizeSelect } from '../new-import/import-inputs.tsx'
import { leftOutNote, type LeftOutColumns } from '../new-import/carried-columns.ts'
import type { Suggestions } from '../new-import/column-suggestions.ts'
import type { NewImportForm } from '../new-import/new-import-form-state.ts'
import { type ColumnField, lockedHint, type Locks, scopeNames } from '../new-import/new-import-rules.ts'

type MainInfoTabProps = {
  form: NewImportForm
  locks: Locks
  /** Problems of the fields that name columns missing from the file. */
  missing: Partial<Record<ColumnField, string>>
  leftOut: LeftOutColumns
  suggestions: Suggestions
}

/** The settings of an import that belong to none of the other tabs. */
export function MainInfoTab({ form, locks, missing, leftOut, suggestions }: MainInfoTabProps) {
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
        <BatchSizeSelect {...form.getInputProps('processBatchSize')} />
        <Select
          label="PURL Generation Scope"
          description={locks.purlGenerationScope ? lockedHint : 'Scope in which PURLs and contacts are unique.'}
          data={Object.entries(scopeNames).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          disabled={locks.purlGenerationScope}
          {...form.getInputProps('purlGenerationScope')}
        />
        <ColumnInput label="Latitude Column" field="latitudeColumn" {...{ form, missing, leftOut, suggestions }} />
        <ColumnInput label="Longitude Column" field="longitudeColumn" {...{ form, missing, leftOut, suggestions }} />
      </SimpleGrid>
      <Switches form={form} locks={locks} />
    </Stack>
  )
}

const places = ['latitudeColumn', 'longitudeColumn'] as const

type ColumnInputProps = Pick<MainInfoTabProps, 'form' | 'missing' | 'leftOut' | 'suggestions'> & {
  label: string
  field: (typeof places)[number]
}

function ColumnInput({ label, field, form, missing, leftOut, suggestions }: ColumnInputProps) {
  const input = form.getInputProps(field)
  const problem = missing[field]
  // A place needs both, so a click clears both if the file has neither.
  const clear = () =>
    form.setValues(Object.fromEntries(places.filter((place) => missing[place]).map((place) => [place, ''])))
  return (
    <Autocomplete
      label={label}
      description={leftOutNote(leftOut[field])}
      data={suggestions}
      limit={50}
      rightSection={problem && <CloseButton size="sm" aria-label={`Clear ${label}`} onClick={clear} />}
      {...input}
      error={input.error ?? problem}
    />
  )
}

type SwitchField = 'generatePURL' | 'dedupHashMatching' | 'exportOnImportCompletion' | 'typeCasting'

function Switches({ form, locks }: { form: NewImportForm; locks: Locks }) {
  const props = (field: SwitchField, label: string, hint: string, isLocked = false) => ({
    label,
    // The hint would otherwise be part of the accessible name.
    'aria-label': label,
    description: isLocked ? lockedHint : hint,
    disabled: isLocked,
    ...form.getInputProps(field, { type: 'checkbox' }),
  })
  const samePurl = props(
    'dedupHashMatching',
    'Same PURL for the same contact',
    'Known contacts keep their PURL.',
    locks.dedupHashMatching,
  )
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
        <Switch
          {...props(
            'generatePURL',
            'Generate PURL',
            'Creates a personalised URL for each contact.',
            locks.generatePURL,
          )}
        />
        <Switch {...samePurl} disabled={samePurl.disabled || !form.values.generatePURL} />
        <Switch
          {...props(
            'exportOnImportCompletion',
            'Auto Export',
            'Exports the contacts of this import when it is completed.',
          )}
        />
        <Switch
          {...props(
            'typeCasting',
            'Cast Types',
            'Detects numbers, dates and true or false. Otherwise new columns are text.',
          )}
        />
      </SimpleGrid>
      <Alert icon={<IconInfoCircle size={17} />} p="8px 12px">
        Generate PURL and Same PURL for the same contact cannot be changed after the 1st import is submitted.
      </Alert>
    </Stack>
  )
}

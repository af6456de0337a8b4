import { type DatePart, dateParts, type KeyPart, type Period, periods } from '@portico/domain/pipeline/pipeline'
import { isDateType } from '@portico/contract/contacts'
import { Select, TextInput } from '@mantine/core'
import type { FilterField, GroupKey } from '../stages/filter.ts'
import { keyName } from '../stages/group-stages.ts'

const periodNames: Record<Period, string> = {
  'by day': 'Day',
  'by week': 'Week',
  'by month': 'Month',
  'by quarter': 'Quarter',
  'by year': 'Year',
}
const partNames: Record<DatePart, string> = {
  month: 'Month of the year (all years together)',
  dayOfMonth: 'Day of the month (all months together)',
  dayOfWeek: 'Day of the week (all weeks together)',
  hour: 'Hour of the day (all days together)',
  year: 'Year as a number',
}
// In the order of the list.
const partsInOrder = Object.keys(partNames) as DatePart[]

type KeyInputsProps = {
  label: string
  fields: readonly FilterField[]
  value: GroupKey | null
  onChange: (key: GroupKey | null) => void
  /** The key of the other level, which cannot be chosen here as well. */
  taken?: GroupKey | null
  isRequired?: boolean
  error?: string | undefined
}

/** A field, and of dates the periods or the part that counts; these are months across years unless chosen otherwise. */
export function KeyInputs({ label, fields, value, onChange, taken = null, isRequired = false, error }: KeyInputsProps) {
  const partsOf = ({ name, type }: FilterField): KeyPart[] =>
    (['by month', 'by year', ...periods, ...dateParts] as const)
      .filter((part) => taken?.field !== name || taken.part !== part)
      // A day has no time.
      .filter((part) => type !== 'day' || part !== 'hour')
  const chosen = fields.find(({ name }) => name === value?.field)
  return (
    <>
      <Select
        label={label}
        placeholder="Field"
        searchable
        clearable
        limit={100}
        nothingFoundMessage="Nothing found"
        withAsterisk={isRequired}
        error={error}
        clearButtonProps={{ 'aria-label': `Clear ${label}` }}
        data={fields.map(({ name }) => name)}
        value={value?.field ?? null}
        onChange={(name) => {
          const field = fields.find((one) => one.name === name)
          const part = field && isDateType(field.type) ? partsOf(field)[0] : undefined
          onChange(field ? { field: field.name, part: part ?? null } : null)
        }}
      />
      {value && chosen && isDateType(chosen.type) && (
        <Select
          label={`${label}: part of the date`}
          data={[
            { group: 'In order of time', items: choicesOf(periods, periodNames) },
            { group: 'Parts of the date', items: choicesOf(partsInOrder, partNames) },
          ].map(({ group, items }) => ({
            group,
            items: items.filter((one) => partsOf(chosen).includes(one.value) || one.value === value.part),
          }))}
          allowDeselect={false}
          value={value.part}
          // The options are periods and parts.
          onChange={(part) => onChange({ ...value, part: part as KeyPart })}
        />
      )}
      {value && (
        <TextInput
          label={`${label}: name`}
          placeholder={keyName({ field: value.field, part: value.part })}
          maxLength={200}
          value={value.name ?? ''}
          onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
        />
      )}
    </>
  )
}

const choicesOf = <Part extends KeyPart>(parts: readonly Part[], names: Record<Part, string>) =>
  parts.map((part): { value: KeyPart; label: string } => ({ value: part, label: names[part] }))

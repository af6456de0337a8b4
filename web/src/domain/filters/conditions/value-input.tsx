import { isDateType } from '@portico/contract/contacts'
import { Autocomplete, NumberInput, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { DayInput } from './day-input.tsx'
import { type Condition, isId } from '../stages/filter.ts'
import { useEventValues } from '../filter-queries.ts'

export type ValueInputProps = {
  label: string
  condition: Condition
  error: string | undefined
  onChange: (value: string) => void
}

const booleans = [
  { value: 'true', label: 'True' },
  { value: 'false', label: 'False' },
]

/** An input for values of the condition's type. */
export function ValueInput({ label, condition: { field, type, operator, value }, error, onChange }: ValueInputProps) {
  if (type === 'boolean') {
    return (
      <Select
        aria-label={label}
        placeholder="Value"
        data={booleans}
        allowDeselect={false}
        value={value || null}
        error={error}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
    )
  }
  if (isDateType(type)) return <DayInput label={label} value={value} error={error} onChange={onChange} />
  const isList = operator === 'in' || operator === 'nin'
  if (type === 'number' && !isList) {
    return (
      <NumberInput
        aria-label={label}
        placeholder="Value"
        hideControls
        value={value}
        error={error}
        onChange={(typed) => onChange(String(typed))}
      />
    )
  }
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholderOf({ field, type, operator })}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function placeholderOf({ field, type, operator }: Pick<Condition, 'field' | 'type' | 'operator'>): string {
  if (operator === 'in' || operator === 'nin') return 'Values, separated by commas'
  if (field === '' || isId(field)) return 'Value'
  if (operator === 'regex') return 'Regular expression'
  return type === 'string' && (operator === '=' || operator === '!=') ? 'Value, or empty for none' : 'Value'
}

/** A text of which events know some: they are offered, and any other may be typed. */
export function ListedValueInput({ label, condition, error, onChange }: ValueInputProps) {
  const [isAsked, setAsked] = useState(false)
  const known = useEventValues(condition.field, isAsked)
  return (
    <Autocomplete
      aria-label={label}
      placeholder="Value, or empty for none"
      data={known.data ?? []}
      limit={100}
      value={condition.value}
      error={error}
      onFocus={() => setAsked(true)}
      onChange={onChange}
    />
  )
}

import { isDateType } from '@portico/contract/contacts'
import { Autocomplete, Select, TextInput } from '@mantine/core'
import { type ClipboardEvent, useState } from 'react'
import { DayInput } from './day-input.tsx'
import { type Condition, isId } from '../stages/filter.ts'
import { pastedList } from '../stages/value-list.ts'
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
      <TextInput
        aria-label={label}
        placeholder="Value"
        // Not `NumberInput`, which reads the comma in 1,250 as a decimal point.
        inputMode="decimal"
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  if (isList) return <ListInput label={label} type={type} value={value} error={error} onChange={onChange} />
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

type ListInputProps = Pick<ValueInputProps, 'label' | 'error' | 'onChange'> & Pick<Condition, 'type' | 'value'>

/** A list of values. Pasted lines, which an input would join into one value, become separate values. */
function ListInput({ label, type, value, error, onChange }: ListInputProps) {
  function paste(event: ClipboardEvent<HTMLInputElement>): void {
    const list = pastedList(event.clipboardData.getData('text/plain'), type)
    if (list === null) return
    event.preventDefault()
    const input = event.currentTarget
    const [from, to] = [input.selectionStart ?? value.length, input.selectionEnd ?? value.length]
    // Done here, not by the change below, to keep the cursor behind the pasted text.
    input.setRangeText(list, from, to, 'end')
    onChange(input.value)
  }
  return (
    <TextInput
      aria-label={label}
      placeholder="Values, separated by commas"
      value={value}
      error={error}
      onPaste={paste}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function placeholderOf({ field, type, operator }: Pick<Condition, 'field' | 'type' | 'operator'>): string {
  if (field === '' || isId(field)) return 'Value'
  if (operator === 'regex') return 'Regular expression'
  return type === 'string' && (operator === '=' || operator === '!=') ? 'Value, or empty for none' : 'Value'
}

/** A text with known values from events: they are offered, and any other may be typed. */
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

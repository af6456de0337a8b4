import type { Field } from '@portico/contract/contacts'
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

type ValueInputProps = {
  field: Pick<Field, 'type'>
  label: string
  isLabelHidden?: boolean
  text: string
  error?: ReactNode
  hasFocus?: boolean
  onChange: (text: string) => void
}

const inputs: Partial<Record<Field['type'], { type?: string; step?: number; inputMode?: 'decimal' }>> = {
  number: { inputMode: 'decimal' },
  day: { type: 'date' },
  // Without it the seconds of a value would be lost.
  date: { type: 'datetime-local', step: 1 },
}

const choices = [
  { value: '', label: 'No value' },
  { value: 'true', label: 'True' },
  { value: 'false', label: 'False' },
]

/** The input for a value of a field. */
export function ValueInput({
  field: { type },
  label,
  isLabelHidden,
  text,
  error,
  hasFocus,
  onChange,
}: ValueInputProps) {
  const shared = {
    ...(isLabelHidden ? { 'aria-label': label } : { label }),
    value: text,
    error,
    'data-autofocus': hasFocus || undefined,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  if (type === 'boolean') return <NativeSelect data={choices} {...shared} />
  // An input of one line would take the line ends out of a text.
  if (type === 'string' && text.includes('\n')) return <Textarea autosize maxRows={12} {...shared} />
  return <TextInput autoComplete="off" {...inputs[type]} {...shared} />
}

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

const inputs: Partial<Record<Field['type'], { type?: string; inputMode?: 'decimal' }>> = {
  number: { inputMode: 'decimal' },
  day: { type: 'date' },
  date: { type: 'datetime-local' },
}

/** The smallest part of a moment that its input shows, in seconds. Smaller parts would be lost. */
const stepOf = (text: string): number => (/\.\d+$/.test(text) ? 0.001 : 1)

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
  // A single-line input would remove the line breaks of a text.
  if (type === 'string' && text.includes('\n')) return <Textarea autosize maxRows={12} {...shared} />
  return (
    <TextInput autoComplete="off" {...inputs[type]} step={type === 'date' ? stepOf(text) : undefined} {...shared} />
  )
}

import { Autocomplete, NumberInput, Select, TextInput } from '@mantine/core'
import type { ComponentProps } from 'react'
import { ColourInput } from './colour-input.tsx'
import type { PlainField } from './option-fields.ts'
import { type OptionValues, valueAt, withValue } from './option-values.ts'

export type OptionControlProps = {
  field: PlainField
  options: OptionValues
  onChange: (options: OptionValues) => void
  /** The message for the option at a path. */
  problemOf: (path: readonly string[]) => string | undefined
}

const fieldOrder: ('description' | 'error' | 'input' | 'label')[] = ['label', 'input', 'description', 'error']

/** The field of one option. An empty field removes the option. */
export function OptionControl({ field, options, onChange, problemOf }: OptionControlProps) {
  const { path, label, hint, usual, control } = field
  const value = valueAt(options, path)
  const change = (next: unknown): void => onChange(withValue(options, path, next === '' ? undefined : next))
  const common = {
    label,
    description: hint,
    error: problemOf(path),
    // Fields of a row are aligned, with or without hints.
    inputWrapperOrder: fieldOrder,
    ...(usual !== undefined && { placeholder: `Default: ${String(usual)}` }),
  }
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
  switch (control.kind) {
    case 'number':
      return (
        <NumberInput
          {...common}
          value={typeof value === 'number' ? value : text}
          min={control.least}
          {...(control.most !== undefined && { max: control.most })}
          step={control.step ?? 1}
          // An invalid number stays, with its message.
          clampBehavior="none"
          onChange={change}
        />
      )
    case 'extent':
      return <TextInput {...common} value={text} onChange={(event) => change(extentOf(event.currentTarget.value))} />
    case 'text':
      return (
        <TextInput
          {...common}
          maxLength={control.most}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )
    case 'colour':
      return <ColourField {...{ common, path, value, options, onChange, problemOf }} />
    case 'choice': {
      const values = control.values.map(String)
      return (
        <Select
          {...common}
          clearable
          clearButtonProps={{ 'aria-label': `Clear ${label}`, tabIndex: 0 }}
          data={text === '' || values.includes(text) ? values : [...values, text]}
          value={text === '' ? null : text}
          onChange={(next) => change(control.values.find((each) => String(each) === next) ?? next ?? undefined)}
        />
      )
    }
    case 'suggested':
      return <Autocomplete {...common} data={[...control.values]} value={text} onChange={change} />
  }
}

type ColourFieldProps = Omit<OptionControlProps, 'field'> & {
  common: Omit<ComponentProps<typeof ColourInput>, 'onChange' | 'value'>
  path: readonly string[]
  value: unknown
}

/** The color of an area may be an object with a fill, whose other parts stay. */
function ColourField({ common, path, value, options, onChange, problemOf }: ColourFieldProps) {
  const own = typeof value === 'object' && value !== null ? [...path, 'fill'] : path
  const colour = valueAt(options, own)
  return (
    <ColourInput
      {...common}
      error={problemOf(own)}
      value={typeof colour === 'string' ? colour : ''}
      onChange={(next) => onChange(withValue(options, own, next === '' ? undefined : next))}
    />
  )
}

/** A text of digits is a number; any other stays text until it is a valid share. */
const extentOf = (text: string): number | string => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text)

import { TextInput, type TextInputProps } from '@mantine/core'
import css from './options.module.css'

type ColourInputProps = Pick<TextInputProps, 'description' | 'error' | 'inputWrapperOrder' | 'placeholder'> & {
  label: string
  value: string
  onChange: (value: string) => void
}

/** The color in the form that the browser’s color picker accepts. */
const asHex = (value: string): string => {
  const digits = /^#([0-9a-f]{3,8})$/i.exec(value)?.[1] ?? ''
  if (digits.length === 3 || digits.length === 4) return `#${digits.slice(0, 3).replaceAll(/./g, '$&$&')}`
  return digits.length >= 6 ? `#${digits.slice(0, 6)}` : '#808080'
}

/** A color as text, or chosen in the browser’s color picker. */
export function ColourInput({ label, value, onChange, ...common }: ColourInputProps) {
  return (
    <TextInput
      {...common}
      label={label}
      maxLength={30}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      leftSection={
        <span className={css['swatch']} style={{ background: value === '' ? 'transparent' : value }}>
          <input
            type="color"
            aria-label={`Choose ${label}`}
            value={asHex(value)}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        </span>
      }
    />
  )
}

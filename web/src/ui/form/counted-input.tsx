import { TextInput, type TextInputProps } from '@mantine/core'

type CountedInputProps = Omit<TextInputProps, 'maxLength' | 'value' | 'rightSection'> & {
  value?: string
  /** Maximum length of the value, in characters. */
  max: number
}

/** A text field that counts its characters. It accepts more than the maximum: pasted text is not cut off unnoticed. */
export function CountedInput({ value = '', max, ...props }: CountedInputProps) {
  const length = value.trim().length
  return (
    <TextInput
      {...props}
      value={value}
      rightSectionWidth={58}
      rightSectionPointerEvents="none"
      rightSection={
        <span
          style={{
            color: length > max ? 'var(--mantine-color-error)' : 'var(--mantine-color-dimmed)',
            fontSize: 12,
            fontVariantNumeric: 'tabular-nums',
          }}
        >
          {`${length} / ${max}`}
        </span>
      }
    />
  )
}

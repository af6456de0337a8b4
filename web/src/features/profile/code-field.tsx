import { messages } from '@portico/contract/messages'
import { TextInput, type TextInputProps } from '@mantine/core'

export const required = (value: string): string | null => (value.trim() === '' ? messages.required : null)

type CodeFieldProps = Omit<TextInputProps, 'autoComplete'> & {
  /** Takes the focus when its dialog opens, or when it appears. */
  isFirst?: boolean
}

/** Six digits of the authenticator app; other fields accept recovery codes as well, and say so. */
export function CodeField({ isFirst = false, ...props }: CodeFieldProps) {
  return (
    <TextInput
      autoComplete="one-time-code"
      maxLength={20}
      spellCheck={false}
      autoCapitalize="none"
      // The dialog is already open, and does not look for it again.
      ref={(input) => {
        if (isFirst && input && document.activeElement?.tagName !== 'INPUT') input.focus()
      }}
      {...props}
    />
  )
}

import { messages } from '@portico/contract/messages'
import { TextInput, type TextInputProps } from '@mantine/core'

export const required = (value: string): string | null => (value.trim() === '' ? messages.required : null)

type CodeFieldProps = Omit<TextInputProps, 'autoComplete'> & {
  /** Gets the keyboard when its dialog opens, or it comes. */
  isFirst?: boolean
}

/** Six digits of the authenticator app; other fields take recovery codes as well, and say so. */
export function CodeField({ isFirst = false, ...props }: CodeFieldProps) {
  return (
    <TextInput
      autoComplete="one-time-code"
      maxLength={20}
      spellCheck={false}
      autoCapitalize="none"
      // The dialog was open before, and does not look for it any more.
      ref={(input) => {
        if (isFirst && input && document.activeElement?.tagName !== 'INPUT') input.focus()
      }}
      {...props}
    />
  )
}

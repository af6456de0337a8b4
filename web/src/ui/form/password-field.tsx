import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { type KeyboardEvent, type Ref, useState } from 'react'

type PasswordFieldProps = Omit<PasswordInputProps, 'onKeyDown' | 'onKeyUp' | 'onBlur' | 'description'> & {
  /** Tells people and password managers which password it is, and whether passkeys are suggested with it. */
  autoComplete: 'current-password' | 'current-password webauthn' | 'new-password'
  ref?: Ref<HTMLInputElement>
}

/** A password that can be shown, and that warns when Caps Lock is on. */
export function PasswordField({ ref, ...props }: PasswordFieldProps) {
  const [isCapsLock, setCapsLock] = useState(false)
  const [isShown, setShown] = useState(false)
  const noteCapsLock = (event: KeyboardEvent): void => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <PasswordInput
      {...(ref !== undefined && { ref })}
      visible={isShown}
      onVisibilityChange={setShown}
      visibilityToggleButtonProps={{
        'aria-label': isShown ? 'Hide the password' : 'Show the password',
        tabIndex: 0,
      }}
      spellCheck={false}
      autoCapitalize="none"
      onKeyDown={noteCapsLock}
      onKeyUp={noteCapsLock}
      onBlur={() => setCapsLock(false)}
      description={isCapsLock && <output>Caps Lock is on.</output>}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      // Mantine marks all inputs with an error except this one.
      aria-invalid={Boolean(props.error)}
      {...props}
    />
  )
}

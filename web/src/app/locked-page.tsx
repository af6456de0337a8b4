import { Button, Group, Loader, Text } from '@mantine/core'
import { type ComponentType, useEffect, useRef, useState } from 'react'
import { leaveLocked } from '#lib/session/session-again.ts'
import css from './locked-page.module.css'

const keepsFocusIn = 'data-mantine-stop-propagation'

/** Covers a page with unsaved input whose session has ended, and asks its person to sign in again. */
export function LockedPage() {
  const dialog = useRef<HTMLDialogElement>(null)
  const { Form, hasFailed, retry } = useForm()
  useEffect(() => {
    // On top of every other dialog: neither the keyboard nor screen readers reach anything else.
    dialog.current?.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={css['cover']}
      aria-label="Sign in again"
      onCancel={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        // The browser would close the dialog, and the shell would open its own.
        if (event.key === 'Escape') event.preventDefault()
        event.stopPropagation()
      }}
      // The dialogs below listen to Escape on the window; they ignore elements with this mark.
      onFocusCapture={(event) => event.target.setAttribute(keepsFocusIn, 'true')}
    >
      <div className={css['card']}>
        {Form && <Form />}
        {!Form && !hasFailed && <Loader size="sm" aria-label="Loading" />}
        {hasFailed && (
          <>
            <Text role="alert">Your session has ended, and the sign-in could not be loaded.</Text>
            <Group gap="xs" mt="md">
              <Button onClick={retry}>Try again</Button>
              <Button variant="default" onClick={leaveLocked}>
                Leave this page
              </Button>
            </Group>
          </>
        )}
      </div>
    </dialog>
  )
}

/** The form's code is loaded on demand: most sessions end without it. */
function useForm() {
  const [Form, setForm] = useState<ComponentType | null>(null)
  const [attempt, setAttempt] = useState({ number: 1, hasFailed: false })
  useEffect(() => {
    import('#features/sign-in').then(
      ({ SignInAgain }) => setForm(() => SignInAgain),
      () => setAttempt((last) => ({ ...last, hasFailed: true })),
    )
  }, [attempt.number])
  const retry = (): void => setAttempt(({ number }) => ({ number: number + 1, hasFailed: false }))
  return { Form, hasFailed: attempt.hasFailed, retry }
}

import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { FormEvent, ReactNode } from 'react'
import { useTypedInput } from '#ui/form/typed-input.ts'
import { useCloseOnTop } from './close-on-top.ts'
import { useFocusBack } from './focus-back.ts'
import css from './form-dialog.module.css'

/** Why a dialog must not be closed by accident. */
export type DialogGuard = {
  /** Something was typed: a click outside or Escape must not discard it. */
  isDirty: boolean
  /** Closing would interrupt running work: only the dialog's own buttons close it. */
  isBusy: boolean
  /** Why it cannot be closed while it is busy. */
  reason?: string | null
}

type FormDialogProps = {
  title: string
  /** In pixels; on a phone the dialog fills the screen. */
  width: number
  guard: DialogGuard
  /** Only its own buttons close it, even if nothing was typed. */
  isPersistent?: boolean
  /** Called instead of `onClose` when the close button or Escape would lose input: to ask first. */
  onDismiss?: () => void
  onClose: () => void
  /** A `DialogForm`, or a placeholder while it is loading. */
  children: ReactNode
}

/** A wide dialog for a form, open while mounted. */
export function FormDialog(props: FormDialogProps) {
  const { title, width, isPersistent = false, onClose, children } = props
  const { isDirty, isBusy, reason } = props.guard
  const isNarrow = useMediaQuery('(max-width: 640px)') ?? false
  const ask = isDirty ? props.onDismiss : undefined
  // Later: the question would receive the same Escape, and close.
  const onTop = useCloseOnTop(ask ? () => void setTimeout(ask) : onClose)
  useFocusBack()
  useTypedInput(isDirty || isBusy)
  const isLightlyClosed = !isPersistent && !isDirty && !isBusy
  return (
    <Modal
      opened
      {...onTop}
      title={title}
      size={width}
      fullScreen={isNarrow}
      closeOnClickOutside={isLightlyClosed}
      closeOnEscape={isLightlyClosed || (ask !== undefined && !isBusy)}
      closeButtonProps={{ 'aria-label': 'Close', disabled: isBusy, ...(isBusy && reason && { title: reason }) }}
      classNames={{ content: css['content'] ?? '', header: css['header'] ?? '', body: css['body'] ?? '' }}
    >
      {children}
    </Modal>
  )
}

type DialogFormProps = {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  children: ReactNode
  /** Stays visible below the scrolled fields: buttons and progress. */
  footer: ReactNode
}

/** The scrolling fields of a `FormDialog`, and its fixed footer. */
export function DialogForm({ onSubmit, children, footer }: DialogFormProps) {
  return (
    <form
      noValidate
      className={css['form']}
      onSubmit={(event) => {
        event.preventDefault()
        // React events bubble through the component tree: a dialog opened by another form must not submit that form.
        event.stopPropagation()
        onSubmit(event)
      }}
    >
      <div className={css['fields']}>{children}</div>
      <div className={css['footer']}>{footer}</div>
    </form>
  )
}

/** Focuses the first visible field with an error, once it is rendered. */
export function focusFirstProblem(): void {
  requestAnimationFrame(() => {
    const wrong = document.querySelectorAll<HTMLElement>('[role="dialog"] [aria-invalid="true"]')
    for (const element of wrong) {
      if (element.offsetParent !== null) return element.focus()
    }
  })
}

import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { FormEvent, ReactNode } from 'react'
import css from './form-dialog.module.css'

type FormDialogProps = {
  isOpen: boolean
  title: string
  /** CSS width in pixels; on a phone the dialog fills the screen. */
  width: number
  /** Something was typed: a click outside or Escape must not throw it away. */
  isDirty: boolean
  /** Work is under way that closing would break: only the dialog's own buttons end it. */
  isBusy?: boolean
  onClose: () => void
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  children: ReactNode
  /** Stays visible below the scrolled fields: buttons, and what is going on. */
  footer: ReactNode
}

/** A form in a dialog: a head and a foot that stay, and fields between them that scroll. */
export function FormDialog(props: FormDialogProps) {
  const { isOpen, title, width, isDirty, isBusy = false } = props
  const isNarrow = useMediaQuery('(max-width: 640px)') ?? false
  return (
    <Modal
      opened={isOpen}
      onClose={props.onClose}
      title={title}
      size={width}
      fullScreen={isNarrow}
      closeOnClickOutside={!isDirty && !isBusy}
      closeOnEscape={!isDirty && !isBusy}
      closeButtonProps={{ 'aria-label': 'Close', disabled: isBusy }}
      classNames={{ content: css['content'] ?? '', header: css['header'] ?? '', body: css['body'] ?? '' }}
      data-narrow={isNarrow || undefined}
    >
      <form
        noValidate
        className={css['form']}
        onSubmit={(event) => {
          // A dialog opened from another form's tree must not send that one.
          event.stopPropagation()
          props.onSubmit(event)
        }}
      >
        <div className={css['fields']}>{props.children}</div>
        <div className={css['footer']}>{props.footer}</div>
      </form>
    </Modal>
  )
}

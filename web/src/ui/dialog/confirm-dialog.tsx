import { Button, Group, Modal, Text } from '@mantine/core'
import type { ReactNode } from 'react'

type ConfirmDialogProps = {
  isOpen: boolean
  title: string
  /** 'Are you sure …?' */
  question: ReactNode
  /** The act itself as the button says it: 'Cancel import', 'Delete'. */
  confirmLabel: string
  cancelLabel?: string
  isDangerous?: boolean
  isBusy?: boolean
  /** The question is not complete yet: only the safe answer can be given. */
  isPreparing?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks before an act that can't be undone. The safe answer has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, title, question, confirmLabel, cancelLabel = 'No', isDangerous = true } = props
  const { isBusy = false, isPreparing = false } = props
  return (
    <Modal
      opened={isOpen}
      // For `useCloseOnTop`: it stays in the page while it fades out.
      mod={{ closing: !isOpen }}
      onClose={props.onClose}
      title={title}
      size="sm"
      centered
      closeOnClickOutside={!isBusy}
    >
      <Text component="div" size="md" style={{ overflowWrap: 'anywhere' }}>
        {question}
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onClose} disabled={isBusy} data-autofocus>
          {cancelLabel}
        </Button>
        <Button {...(isDangerous && { color: 'red.8' })} onClick={props.onConfirm} loading={isBusy || isPreparing}>
          {confirmLabel}
        </Button>
      </Group>
    </Modal>
  )
}

import { Button, Group, Modal, Text } from '@mantine/core'
import type { ReactNode } from 'react'

type ConfirmDialogProps = {
  isOpen: boolean
  title: string
  /** 'Are you sure …?' */
  question: ReactNode
  /** The action itself as the button names it: 'Cancel import', 'Delete'. */
  confirmLabel: string
  cancelLabel?: string
  isDangerous?: boolean
  isBusy?: boolean
  /** The question is still incomplete: only the safe answer is available. */
  isPreparing?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks before an action that cannot be undone. The safe answer has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, title, question, confirmLabel, cancelLabel = 'No', isDangerous = true } = props
  const { isBusy = false, isPreparing = false } = props
  return (
    <Modal
      opened={isOpen}
      // For `useCloseOnTop`: the dialog stays in the page while it fades out.
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

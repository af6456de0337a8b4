import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'

type DialogButtonsProps = {
  onCancel: () => void
  /** A submission is running: it can neither be repeated nor cancelled. */
  isBusy: boolean
  /** Label of the submit button. */
  children: ReactNode
  isDangerous?: boolean
}

/** The footer of a `DialogForm`: Cancel and the submit button. */
export function DialogButtons({ onCancel, isBusy, children, isDangerous = false }: DialogButtonsProps) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel} disabled={isBusy}>
        Cancel
      </Button>
      <Button type="submit" loading={isBusy} {...(isDangerous && { color: 'red.8' })}>
        {children}
      </Button>
    </Group>
  )
}

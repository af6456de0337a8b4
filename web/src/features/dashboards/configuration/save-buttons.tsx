import { Button, Group, Tooltip } from '@mantine/core'

type SaveButtonsProps = {
  /** Why it cannot be saved; null if it can. */
  reason: string | null
  onCancel: () => void
}

/**
 * Cancel, and Save, which looks disabled while something is invalid. Pressing it still submits, which moves the focus
 * to the mistake.
 */
export function SaveButtons({ reason, onCancel }: SaveButtonsProps) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Tooltip label={reason} disabled={reason === null}>
        <Button type="submit" {...(reason !== null && { 'data-disabled': true, 'aria-disabled': true })}>
          Save
        </Button>
      </Tooltip>
    </Group>
  )
}

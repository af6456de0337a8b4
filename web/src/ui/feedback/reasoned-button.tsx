import { ActionIcon, Button, Tooltip } from '@mantine/core'
import type { ComponentProps, ComponentType } from 'react'
import type IconComponent from '#icons/IconPencil'
import { useShownReason } from './shown-reason.ts'

type Reason = string | null | undefined
type Icon = ComponentType<ComponentProps<typeof IconComponent>>

type ReasonedButtonProps = {
  label: string
  Icon?: Icon
  /** Why it does nothing now; null when it works. */
  reason?: Reason
  color?: string
  isLoading?: boolean
  onClick: () => void
}

/** Not `disabled`: the keyboard and a finger have to reach it to learn why it does not work. */
const blocked = { 'data-disabled': true, 'aria-disabled': true } as const

/** A button that says why it does not work, when it does not. */
export function ReasonedButton({ label, Icon, reason, color, isLoading = false, onClick }: ReasonedButtonProps) {
  const [isShown, show] = useShownReason()
  return (
    <Tooltip label={reason} disabled={!reason} {...(isShown && { opened: true })}>
      <Button
        variant="default"
        leftSection={Icon && <Icon size={15} aria-hidden />}
        loading={isLoading}
        {...(color && { c: color })}
        {...(reason && blocked)}
        onClick={() => (reason ? show() : onClick())}
      >
        {label}
      </Button>
    </Tooltip>
  )
}

type RowButtonProps = ReasonedButtonProps & {
  Icon: Icon
  /** Tooltip while enabled: 'Edit', when the label is 'Edit Mara'. */
  hint: string
}

/** A button of a table's row: an icon, named by its tooltip, which says why it does not work, when it does not. */
export function RowButton({ label, hint, Icon, reason, color, isLoading = false, onClick }: RowButtonProps) {
  const [isShown, show] = useShownReason()
  return (
    <Tooltip label={reason ?? hint} {...(isShown && { opened: true })}>
      <ActionIcon
        size={24}
        aria-label={label}
        loading={isLoading}
        {...(color && !reason && { color })}
        // Mantine's look of what is disabled would draw the eye to it among plain icons.
        {...(reason && { ...blocked, bg: 'transparent', c: 'var(--mantine-color-disabled-color)' })}
        onClick={() => (reason ? show() : onClick())}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

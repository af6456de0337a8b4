import { ActionIcon, Button, Tooltip } from '@mantine/core'
import type { ComponentProps, ComponentType } from 'react'
import type IconComponent from '#icons/IconPencil'
import { useShownReason } from './shown-reason.ts'

type Reason = string | null | undefined
type Icon = ComponentType<ComponentProps<typeof IconComponent>>

type ReasonedButtonProps = {
  label: string
  Icon?: Icon
  /** Why the button is disabled now; null if it works. */
  reason?: Reason
  color?: string
  isLoading?: boolean
  onClick: () => void
}

/** Not `disabled`: keyboard and touch must reach the button to show the reason. */
const blocked = { 'data-disabled': true, 'aria-disabled': true } as const

/** A button that shows the reason while it is disabled. */
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

/** An icon button of a table's row; its tooltip names it, or shows the reason while it is disabled. */
export function RowButton({ label, hint, Icon, reason, color, isLoading = false, onClick }: RowButtonProps) {
  const [isShown, show] = useShownReason()
  return (
    <Tooltip label={reason ?? hint} {...(isShown && { opened: true })}>
      <ActionIcon
        size={24}
        aria-label={label}
        loading={isLoading}
        {...(color && !reason && { color })}
        // Mantine's disabled style would draw attention among plain icons.
        {...(reason && { ...blocked, bg: 'transparent', c: 'var(--mantine-color-disabled-color)' })}
        onClick={() => (reason ? show() : onClick())}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

import { Menu, Tooltip } from '@mantine/core'
import type { ComponentProps, ComponentType } from 'react'
import type IconComponent from '#icons/IconPencil'
import { useShownReason } from './shown-reason.ts'

type ReasonedItemProps = {
  label: string
  Icon: ComponentType<ComponentProps<typeof IconComponent>>
  /** Why the entry is disabled now; null if it works. */
  reason: string | null
  onClick: () => void
}

/** A menu entry that shows the reason while it is disabled. */
export function ReasonedItem({ label, Icon, reason, onClick }: ReasonedItemProps) {
  const [isShown, show] = useShownReason()
  return (
    <Tooltip label={reason} disabled={reason === null} {...(isShown && { opened: true })}>
      <Menu.Item
        leftSection={<Icon size={15} aria-hidden />}
        closeMenuOnClick={reason === null}
        // Not `disabled`: the keyboard must reach the entry to show the reason.
        {...(reason !== null && { 'aria-disabled': true, c: 'var(--mantine-color-disabled-color)' })}
        onClick={() => (reason === null ? onClick() : show())}
      >
        {label}
      </Menu.Item>
    </Tooltip>
  )
}

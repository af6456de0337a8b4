import { Menu, Tooltip } from '@mantine/core'
import type { ComponentProps, ComponentType } from 'react'
import type IconComponent from '#icons/IconPencil'
import { useShownReason } from './shown-reason.ts'

type ReasonedItemProps = {
  label: string
  Icon: ComponentType<ComponentProps<typeof IconComponent>>
  /** Why it does nothing now; null when it works. */
  reason: string | null
  onClick: () => void
}

/** An entry of a menu that says why it does not work, when it does not. */
export function ReasonedItem({ label, Icon, reason, onClick }: ReasonedItemProps) {
  const [isShown, show] = useShownReason()
  return (
    <Tooltip label={reason} disabled={reason === null} {...(isShown && { opened: true })}>
      <Menu.Item
        leftSection={<Icon size={15} aria-hidden />}
        closeMenuOnClick={reason === null}
        // Not `disabled`: the keyboard has to reach it to learn why.
        {...(reason !== null && { 'aria-disabled': true, c: 'var(--mantine-color-disabled-color)' })}
        onClick={() => (reason === null ? onClick() : show())}
      >
        {label}
      </Menu.Item>
    </Tooltip>
  )
}

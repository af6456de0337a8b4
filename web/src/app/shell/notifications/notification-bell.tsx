import { ActionIcon, Popover, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import IconBell from '#icons/IconBell'
import { formatCount } from '#lib/formats.ts'
import { useNotifications } from '#domain/activity'
import { NotificationList } from './notification-list.tsx'
import css from './notification-bell.module.css'

/** How many jobs have ended since the user last took note, and which. */
export function NotificationBell({ className }: { className: string }) {
  const notifications = useNotifications()
  const [isOpen, { close, toggle }] = useDisclosure()
  const { unread } = notifications
  const label = unread === 0 ? 'Notifications' : `Notifications, ${formatCount(unread, 'new one')}`
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      position="bottom-end"
      offset={10}
      width={360}
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Tooltip label={label} disabled={isOpen}>
          <ActionIcon classNames={{ root: className }} size={32} aria-label={label} onClick={toggle}>
            <IconBell size={19} stroke={1.7} aria-hidden />
            {unread > 0 && (
              <span className={css['count']} aria-hidden>
                {unread > 9 ? '9+' : unread}
              </span>
            )}
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Notifications">
        <NotificationList notifications={notifications} onLeave={close} />
      </Popover.Dropdown>
    </Popover>
  )
}

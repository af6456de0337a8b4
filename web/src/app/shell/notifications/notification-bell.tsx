import { ActionIcon } from '@mantine/core'
import IconBell from '#icons/IconBell'
import { formatCount } from '#lib/formats.ts'
import { useNotifications } from '#domain/activity'
import { BarMenu } from '../bar-menu.tsx'
import { Hint } from '../hint.tsx'
import { NotificationList } from './notification-list.tsx'
import css from './notification-bell.module.css'

/** The number and list of jobs that have ended since the user last read their notifications. */
export function NotificationBell({ className }: { className: string }) {
  const notifications = useNotifications()
  const { unread } = notifications
  const label = unread === 0 ? 'Notifications' : `Notifications, ${formatCount(unread, 'new one')}`
  return (
    <BarMenu
      label="Notifications"
      width={360}
      isFlush
      trigger={(button, isOpen) => (
        <Hint label={label} isOff={isOpen}>
          <ActionIcon classNames={{ root: className }} size={32} aria-label={label} {...button}>
            <IconBell size={19} stroke={1.7} aria-hidden />
            {unread > 0 && (
              <span className={css['count']} aria-hidden>
                {unread > 9 ? '9+' : unread}
              </span>
            )}
          </ActionIcon>
        </Hint>
      )}
    >
      {(close) => <NotificationList notifications={notifications} onLeave={close} />}
    </BarMenu>
  )
}

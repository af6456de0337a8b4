import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { activityPath, activitySummary, type Notification, type useNotifications } from '#domain/activity'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import css from './notification-list.module.css'

type NotificationListProps = { notifications: ReturnType<typeof useNotifications>; onLeave: () => void }

export function NotificationList({ notifications, onLeave }: NotificationListProps) {
  const { items, unread, error, isPending, refetch, markRead, markAllRead } = notifications
  return (
    <>
      <div className={css['head']}>
        <h2 className={css['title']}>Notifications</h2>
        <Button size="compact-xs" variant="subtle" disabled={unread === 0} onClick={markAllRead}>
          Mark all as read
        </Button>
      </div>
      {error && items.length === 0 && (
        <div className={css['message']} role="alert">
          {messageOf(error)}{' '}
          <Button size="compact-xs" variant="subtle" onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      )}
      {isPending && !error && <output className={css['message']}>Loading. Please wait...</output>}
      {!isPending && !error && items.length === 0 && (
        <div className={css['message']}>Finished imports and exports appear here.</div>
      )}
      {items.length > 0 && (
        <ul className={css['list']}>
          {items.map((item) => (
            <li key={item.id}>
              <Entry
                item={item}
                onOpen={() => {
                  markRead(item.id)
                  onLeave()
                }}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Entry({ item, onOpen }: { item: Notification; onOpen: () => void }) {
  return (
    <Link to={activityPath(item)} className={css['entry']} data-unread={item.isUnread || undefined} onClick={onOpen}>
      <span className={css['dot']} data-status={item.status} aria-hidden />
      <span className={css['text']}>
        <span className={css['name']}>{item.name}</span>
        <span className={css['more']}>
          {item.isUnread && <span className={css['new']}>New · </span>}
          {activitySummary(item)}
        </span>
        {item.reason && <span className={css['reason']}>{item.reason}</span>}
        <time className={css['more']} dateTime={item.at}>
          {formatDate(item.at)}
        </time>
      </span>
    </Link>
  )
}

import type { Activity } from '@portico/contract/activity'
import { Paper, Skeleton, Title } from '@mantine/core'
import { Link } from 'react-router'
import IconHistory from '#icons/IconHistory'
import { activityPath, activitySummary, useActivity } from '#domain/activity'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import css from './recent-activity.module.css'

const shownAtMost = 10

/** Recent activity in the account; updates by itself. */
export function RecentActivity() {
  const { data, error, refetch } = useActivity()
  return (
    <Paper component="section" className={css['card'] ?? ''} aria-labelledby="recent-activity">
      <Title order={2} id="recent-activity" className={css['title'] ?? ''}>
        Recent activity
      </Title>
      {error && !data && <FailureState message={messageOf(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <EmptyState icon={<IconHistory size={22} />} title="No activity yet">
          Imports and exports of this account will appear here.
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <ol className={css['list']}>
          {data.slice(0, shownAtMost).map((item) => (
            <Entry key={`${item.kind} ${item._id}`} item={item} />
          ))}
        </ol>
      )}
    </Paper>
  )
}

function Entry({ item }: { item: Activity }) {
  return (
    <li className={css['entry']}>
      <div className={css['what']}>
        <Link to={activityPath(item)}>{item.name}</Link>
        <div className={css['more']}>
          {activitySummary(item)} · {item.creator}
        </div>
        {item.reason && <div className={css['reason']}>{item.reason}</div>}
      </div>
      <StatusBadge status={item.status} />
      <time dateTime={item.at} className={css['when']}>
        {formatDate(item.at)}
      </time>
    </li>
  )
}

function Loading() {
  return (
    <output className={css['loading']} aria-label="Loading">
      {[60, 45, 55].map((width) => (
        <Skeleton key={width} height={14} width={`${width}%`} />
      ))}
    </output>
  )
}

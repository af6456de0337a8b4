import type { AuditEntry } from '@portico/contract/audit'
import type { Identity } from '@portico/contract/identities'
import { Badge, Center, Loader, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatDate } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { useAccount } from '#lib/session/session.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { useIdentities, useRecentLines } from './iam-home-queries.ts'
import css from './iam-home-page.module.css'
import { QuickActions } from './quick-actions.tsx'

/** Actions in Identity & Access, the people who may enter the account, and recent changes. */
export function IamHomePage() {
  usePageTitle('Identity & Access')
  useLastPageViewed()
  const { name } = useAccount()
  return (
    <>
      <PageHeader
        title="Identity & Access"
        description={`For the power admins of the portal and the power users of ${name || 'the account'}.`}
      />
      <QuickActions />
      <div className={css['columns']}>
        <Entrants />
        <RecentLines />
      </div>
    </>
  )
}

const shownAtMost = 8
const isPerson = ({ kind }: Identity): boolean => kind === 'person'

/** People with access to the account, sorted by their last visit, latest first. */
function Entrants() {
  const identities = useIdentities()
  return (
    <Panel title="People with access" actions={<Link to={paths.identities()}>All identities</Link>}>
      <Loaded query={identities}>
        {(all) => (
          <>
            <ul className={css['lines']}>
              {byLastSignIn(all)
                .slice(0, shownAtMost)
                .map((identity) => (
                  <Entrant key={identity._id} identity={identity} />
                ))}
            </ul>
            {all.length === 0 && (
              <Text size="sm" c="dimmed">
                Only power admins, until you add an identity.
              </Text>
            )}
            {all.filter(isPerson).length > shownAtMost && (
              <Text size="xs" c="dimmed" mt="xs">{`and ${all.filter(isPerson).length - shownAtMost} more`}</Text>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

const byLastSignIn = (identities: Identity[]): Identity[] =>
  identities.filter(isPerson).toSorted((a, b) => (b.lastSignInAt ?? '').localeCompare(a.lastSignInAt ?? ''))

function Entrant({ identity: { email, userName, aid, groups, status, lastSignInAt } }: { identity: Identity }) {
  const groupNames = groups.map(({ name }) => name).join(', ')
  return (
    <li>
      <div>
        {userName ?? email} {aid === '*' && <Badge tt="none">global</Badge>}
        {status !== 'active' && (
          <>
            {' '}
            <StatusBadge status={status} />
          </>
        )}
        <div className={css['more']}>{[userName && email, groupNames].filter(Boolean).join(' · ')}</div>
      </div>
      <span className={css['when']}>{lastSignInAt ? formatDate(lastSignInAt) : 'never signed in'}</span>
    </li>
  )
}

/** The latest entries of the audit log. */
function RecentLines() {
  const lines = useRecentLines()
  return (
    <Panel title="Recent changes" actions={<Link to={paths.audit()}>Full audit log</Link>}>
      <Loaded query={lines}>
        {(recent) => (
          <>
            <ol className={css['lines']}>
              {recent.map((line) => (
                <Line key={line._id} line={line} />
              ))}
            </ol>
            {recent.length === 0 && (
              <Text size="sm" c="dimmed">
                No changes yet.
              </Text>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function Line({ line: { action, subject, actor, at } }: { line: AuditEntry }) {
  return (
    <li>
      <div>
        {action} {subject && <b>{subject}</b>}
        <div className={css['more']}>{actor}</div>
      </div>
      <time dateTime={at} className={css['when']}>
        {formatDate(at)}
      </time>
    </li>
  )
}

/** The data, or the reason why it is missing. */
function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <FailureState message={messageOf(query.error)} onRetry={() => void query.refetch()} />
  return (
    <Center mih={120}>
      <Loader size={20} aria-label="Loading" />
    </Center>
  )
}

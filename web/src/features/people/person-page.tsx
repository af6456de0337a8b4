import type { PersonDetails } from '@portico/contract/people'
import { Alert, Anchor, Loader, Text } from '@mantine/core'
import { Link, useParams } from 'react-router'
import IconUserOff from '#icons/IconUserOff'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatDate } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { PersonActs } from './person-acts.tsx'
import { PersonIdentities } from './person-identities.tsx'
import { usePerson } from './people-queries.ts'
import { accountsInWords, stateWords, twoFactorWords } from './person-words.ts'
import css from './people.module.css'

/** A person across accounts: identities, sessions, API credentials, links, and what can be done about them. */
export function PersonPage() {
  const { id = '' } = useParams()
  const person = usePerson(id)
  const name = person.data?.email ?? 'Person'
  usePageTitle(name)
  if (isApiError(person.error, 'not_found')) {
    return (
      <>
        <PageHeader title="Person" description={<ToList />} />
        <EmptyState icon={<IconUserOff size={22} />} title="This person is not here.">
          They have no identity in the accounts that you administer, or no longer have one.
        </EmptyState>
      </>
    )
  }
  return (
    <>
      <PageHeader
        title={name}
        description={<ToList />}
        actions={person.data && <PersonActs key={id} person={person.data} />}
      />
      {person.error ? (
        <FailureState message={messageOf(person.error)} onRetry={() => void person.refetch()} />
      ) : person.data ? (
        <Contents person={person.data} />
      ) : (
        <Loader size={18} aria-label="Loading the person" />
      )}
    </>
  )
}

const ToList = () => (
  <Anchor component={Link} size="sm" to={paths.people()}>
    People
  </Anchor>
)

function Contents({ person }: { person: PersonDetails }) {
  const isEverywhere = useMayAdministerAll()
  return (
    <div className={css['page']}>
      {!isEverywhere && (
        <Alert color="blue">
          This page shows and changes what is in your accounts only. Other accounts and global identities, if there are
          any, are not affected.
        </Alert>
      )}
      <Panel title="Person">
        <DefinitionList
          columns={5}
          items={[
            { term: 'Name', value: person.userName },
            { term: 'State', value: <StatusBadge status={stateWords[person.state]} /> },
            { term: 'Accounts', value: accountsInWords(person) },
            { term: 'Two-Factor', value: twoFactorWords(person) },
            { term: 'Last Sign-In', value: person.lastSignInAt ? formatDate(person.lastSignInAt) : 'never' },
          ]}
        />
      </Panel>
      <PersonIdentities person={person} />
      <Sessions person={person} />
      <Links person={person} />
    </div>
  )
}

function Sessions({ person: { sessions } }: { person: PersonDetails }) {
  return (
    <Panel title="Sessions">
      {sessions.length === 0 && <None>No active sessions.</None>}
      <ul className={css['lines']} aria-label="Active sessions">
        {sessions.map(({ _id, device, address, createdAt, lastSeenAt, accounts }) => (
          <li key={_id} className={css['line']}>
            <div>
              {device}
              <div className={css['more']}>{[address, ...accounts].join(' · ')}</div>
            </div>
            <span className={css['more']}>
              {lastSeenAt ? `last active ${formatDate(lastSeenAt)}` : `since ${formatDate(createdAt)}`}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Links({ person: { links } }: { person: PersonDetails }) {
  return (
    <Panel title="Impersonation Links">
      {links.length === 0 && <None>No active links.</None>}
      <ul className={css['lines']} aria-label="Active impersonation links">
        {links.map(({ _id, account, ip, policies, expiresAt }) => (
          <li key={_id} className={css['line']}>
            <div>
              {account}
              <div className={css['more']}>{`From ${ip}: ${policies?.join(', ') ?? 'all permissions'}`}</div>
            </div>
            <span className={css['more']}>{`until ${formatDate(expiresAt)}`}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function None({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}

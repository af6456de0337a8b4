import type { Person } from '@portico/contract/people'
import { Alert, Anchor, Button } from '@mantine/core'
import { Link } from 'react-router'
import IconDownload from '#icons/IconDownload'
import IconLock from '#icons/IconLock'
import IconUsers from '#icons/IconUsers'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatCount, formatDate } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { useAccount } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { NoMatch } from '#ui/feedback/no-match.tsx'
import { notifyError } from '#ui/feedback/notify.ts'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { saveFile } from '#ui/save-file.ts'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { TableCard } from '#ui/table/table-card.tsx'
import { PeopleFilters } from './people-filters.tsx'
import { peopleCsv } from './people-csv.ts'
import { type PeopleInput, useAllPeople, usePeople, usePeopleFilters } from './people-queries.ts'
import { usePeopleUrl } from './people-url.ts'
import { accountsInWords, stateWords, twoFactorWords } from './person-words.ts'
import css from './people.module.css'

const columns: Column<Person>[] = [
  {
    key: 'email',
    title: 'Email',
    isRowHeader: true,
    isSortable: true,
    render: ({ _id, email }) => (
      <Anchor component={Link} inherit className={css['email'] ?? ''} title={email} to={paths.person(_id)}>
        {email}
      </Anchor>
    ),
  },
  { key: 'userName', title: 'Name', isSortable: true, render: ({ userName }) => userName ?? '–' },
  { key: 'accounts', title: 'Accounts', isSortable: true, align: 'right', render: accountsInWords },
  {
    key: 'lastSignInAt',
    title: 'Last Sign-In',
    isSortable: true,
    render: ({ lastSignInAt }) => (lastSignInAt === null ? 'never' : formatDate(lastSignInAt)),
  },
  { key: 'twoFactor', title: 'Two-Factor', render: twoFactorWords },
  {
    key: 'state',
    title: 'State',
    isSortable: true,
    comesEarly: true,
    render: ({ state }) => <StatusBadge status={stateWords[state]} />,
  },
]

/** People across accounts: of all for power admins, of the account and its sub-accounts for power users. */
export function PeoplePage() {
  usePageTitle('People')
  useLastPageViewed()
  const { fields, table, input, isActive, change, clear } = usePeopleUrl()
  const [isDense, setDense] = useSetting('areTablesDensed')
  const people = usePeople(input, table.page, table.pageSize)
  const scope = useScope()
  const count = people.data?.count ?? undefined
  return (
    <>
      <PageHeader
        title="People"
        description={count === undefined ? ' ' : `${formatCount(count, 'person', 'people')} ${scope}`}
        actions={<ExportButton input={input} isEmpty={!count} />}
      />
      <ClosedAccounts />
      <TableCard
        isDense={isDense}
        onDenseChange={setDense}
        toolbar={<PeopleFilters fields={fields} onChange={change} />}
      >
        <DataTable<Person>
          label="People"
          columns={columns}
          records={people.data?.rows}
          total={count}
          getRecordId={({ _id }) => _id}
          getRecordLabel={({ email }) => email}
          {...table}
          isStale={people.isPlaceholderData}
          isDense={isDense}
          empty={
            isActive ? (
              <NoMatch icon={<IconUsers size={22} />} nouns="people" clearLabel="Show all people" onClear={clear} />
            ) : (
              <EmptyState icon={<IconUsers size={22} />} title="No people yet." />
            )
          }
          failure={
            people.error ? (
              <FailureState message={messageOf(people.error)} onRetry={() => void people.refetch()} />
            ) : undefined
          }
        />
      </TableCard>
    </>
  )
}

/** Says why people are missing whom the user could see after a sign-in with a second factor. */
function ClosedAccounts() {
  const closed = usePeopleFilters().data?.closedAccounts ?? 0
  if (closed === 0) return null
  return (
    <Alert color="blue" mb="md" icon={<IconLock size={18} />}>
      {`${formatCount(closed, 'account')} ${closed === 1 ? 'requires' : 'require'} two-factor. Set it up in your profile, or sign in with a passkey, to see the people there.`}
    </Alert>
  )
}

function useScope(): string {
  const isEverywhere = useMayAdministerAll()
  const { name } = useAccount()
  return isEverywhere ? 'in all accounts' : `in ${name || 'the account'} and the sub-accounts that you may enter`
}

function ExportButton({ input, isEmpty }: { input: PeopleInput; isEmpty: boolean }) {
  const all = useAllPeople()
  const onClick = (): void =>
    all.mutate(input, {
      onSuccess: (people) => saveFile(new Blob([peopleCsv(people)], { type: 'text/csv;charset=utf-8' }), 'people.csv'),
      onError: (error) => notifyError(messageOf(error)),
    })
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={15} aria-hidden />}
      disabled={isEmpty}
      loading={all.isPending}
      onClick={onClick}
    >
      Export CSV
    </Button>
  )
}

import type { Account } from '@portico/contract/accounts'
import { Button, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import IconBuilding from '#icons/IconBuilding'
import IconPlus from '#icons/IconPlus'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatCount, formatDate, formatNumber } from '#lib/formats.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { useNewForm } from '#lib/open-new.ts'
import { useAccount } from '#lib/session/session.ts'
import { useLocalTable } from '#lib/table/local-table.ts'
import { useSetting } from '#lib/settings.ts'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { SearchBox } from '#ui/table/search-box.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { TableCard } from '#ui/table/table-card.tsx'
import { AccountActions } from './account-actions.tsx'
import { AccountDialog } from './account-dialog.tsx'
import { useAccountDetails } from './accounts-queries.ts'
import { PowerUserDialog } from './power-user-dialog.tsx'
import css from './accounts-page.module.css'

/** All accounts of the installation, for power admins. */
export function AccountsPage() {
  usePageTitle('Accounts')
  useLastPageViewed()
  const accounts = useAccountDetails()
  const [search, setSearch] = useState('')
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [singleExpand] = useSetting('singleExpand')
  const [isAdding, adding] = useDisclosure()
  const [isAddingPowerUser, addingPowerUser] = useNewForm()
  const { id: here } = useAccount()
  const found = useMemo(() => matching(accounts.data, search), [accounts.data, search])
  const table = useLocalTable(found)
  const all = accounts.data ?? []
  const ownAccount = all.find(({ Key }) => Key === here)
  return (
    <>
      <PageHeader
        title="Accounts"
        description={found ? formatCount(found.length, 'account') : ' '}
        actions={
          <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={adding.open} disabled={!accounts.data}>
            NEW ACCOUNT
          </Button>
        }
      />
      <TableCard
        isDense={isDense}
        onDenseChange={setDense}
        toolbar={
          <SearchBox
            label="Search accounts"
            placeholder="Name or number"
            value={search}
            onSearch={(text) => {
              setSearch(text)
              table.onPageChange(1)
            }}
          />
        }
      >
        <DataTable<Account>
          label="Accounts"
          columns={columnsFor(all)}
          {...table}
          getRecordId={({ Key }) => String(Key)}
          getRecordLabel={({ Value }) => Value}
          expansion={(account) => <AccountDetails account={account} />}
          allowsManyOpen={!singleExpand}
          isDense={isDense}
          empty={<EmptyState icon={<IconBuilding size={22} />} title="No matching accounts found." />}
          failure={
            accounts.error ? (
              <FailureState message={messageOf(accounts.error)} onRetry={() => void accounts.refetch()} />
            ) : undefined
          }
        />
      </TableCard>
      {isAddingPowerUser && ownAccount && <PowerUserDialog account={ownAccount} onClose={addingPowerUser.close} />}
      {isAdding && <AccountDialog account={null} all={all} onClose={adding.close} />}
    </>
  )
}

function matching(accounts: Account[] | undefined, search: string): Account[] | undefined {
  const wanted = search.trim().toLowerCase()
  return accounts?.filter(({ Key, Value }) => Value.toLowerCase().includes(wanted) || String(Key) === wanted)
}

const columnsFor = (all: Account[]): Column<Account>[] => [
  { key: 'name', title: 'Name', isRowHeader: true, render: ({ Value }) => <LongText text={Value} /> },
  { key: 'number', title: 'Number', align: 'right', render: ({ Key }) => Key },
  { key: 'parent', title: 'Parent', render: ({ parent }) => (parent ? <LongText text={parent.Value} /> : '–') },
  { key: 'timeZone', title: 'Time Zone', render: ({ timeZone }) => timeZone },
  { key: 'identities', title: 'Identities', align: 'right', render: ({ identities }) => formatNumber(identities) },
  { key: 'powerUsers', title: 'Power Users', render: ({ powerUsers }) => <LongText text={shortened(powerUsers)} /> },
  {
    key: 'state',
    title: 'State',
    comesEarly: true,
    render: ({ isSuspended }) => <StatusBadge status={isSuspended ? 'suspended' : 'active'} />,
  },
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    align: 'right',
    width: 130,
    isPinned: true,
    render: (account) => <AccountActions account={account} all={all} />,
  },
]

/** A single line of the list; a long text is truncated, and its tooltip shows all of it. */
function LongText({ text }: { text: string }) {
  return (
    <span className={css['long']} title={text}>
      {text}
    </span>
  )
}

function shortened([first, ...others]: string[]): string {
  if (first === undefined) return 'none'
  return others.length > 0 ? `${first} and ${others.length} more` : first
}

function AccountDetails({ account: { createdAt, parent, powerUsers } }: { account: Account }) {
  return (
    <DefinitionList
      columns={2}
      items={[
        { term: 'Created', value: formatDate(createdAt) },
        { term: 'Parent account', value: parent && `${parent.Value} (${parent.Key})` },
        { term: 'Power users (up to ten)', value: <NameList names={powerUsers} />, isWide: true },
      ]}
    />
  )
}

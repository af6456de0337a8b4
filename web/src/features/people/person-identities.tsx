import type { IdentityOfPerson, PersonDetails } from '@portico/contract/people'
import { useState } from 'react'
import { describeDays, describeHours, RowNames } from '#domain/access'
import { formatDate } from '#lib/formats.ts'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { type Column, DataTable } from '#ui/table/data-table.tsx'

const pageSizes = [10, 50]

const nameOf = ({ account }: IdentityOfPerson): string => account?.Value ?? 'All accounts (global)'

const limitsOf = ({ days, daysEffect, hours, hoursEffect, cidr, rowRule }: IdentityOfPerson): string[] => [
  ...(days.length > 0 ? [describeDays(days, daysEffect)] : []),
  ...(hours.length > 0 ? [describeHours(hours, hoursEffect)] : []),
  ...(cidr === null ? [] : [cidr]),
  ...(rowRule === null ? [] : ['some contacts']),
]

const columns: Column<IdentityOfPerson>[] = [
  { key: 'account', title: 'Account', isRowHeader: true, render: nameOf },
  { key: 'groups', title: 'Groups', render: ({ groups }) => <RowNames names={groups.map(({ name }) => name)} /> },
  {
    key: 'limits',
    title: 'Limits',
    render: (identity) => limitsOf(identity).join('; ') || '–',
  },
  { key: 'hasApiAccess', title: 'API Access', render: ({ hasApiAccess }) => (hasApiAccess ? 'Yes' : 'No') },
  {
    key: 'lastSignInAt',
    title: 'Last Sign-In',
    render: ({ lastSignInAt }) => (lastSignInAt ? formatDate(lastSignInAt) : 'never'),
  },
  { key: 'status', title: 'Status', comesEarly: true, render: ({ status }) => <StatusBadge status={status} /> },
]

/** The identities of a person, one row an account, with their API credentials. */
export function PersonIdentities({ person: { identities } }: { person: PersonDetails }) {
  const [page, setPage] = useState(1)
  const [pageSize, setPageSize] = useState(10)
  return (
    <Panel title="Identities">
      <DataTable<IdentityOfPerson>
        label="Identities"
        columns={columns}
        records={identities.slice((page - 1) * pageSize, page * pageSize)}
        total={identities.length}
        getRecordId={({ _id }) => _id}
        getRecordLabel={nameOf}
        page={page}
        pageSize={pageSize}
        pageSizes={pageSizes}
        onPageChange={setPage}
        onPageSizeChange={(size) => {
          setPageSize(size)
          setPage(1)
        }}
        expansion={(identity) => <Details identity={identity} />}
        empty={null}
      />
    </Panel>
  )
}

function Details({ identity }: { identity: IdentityOfPerson }) {
  const { apiCredentials, groups, accessToAllSubAccounts } = identity
  return (
    <DefinitionList
      label={`Details of ${nameOf(identity)}`}
      items={[
        { term: 'Access to All Subaccounts', value: accessToAllSubAccounts ? 'Yes' : 'No' },
        { term: 'Limits', value: limitsOf(identity).join('; ') },
        {
          term: 'Policies',
          value: <NameList names={groups.flatMap(({ policies }) => policies.map(({ name }) => name))} />,
          isWide: true,
        },
        ...apiCredentials.map(({ _id, name, accessKey, isActive, expiresAt, lastUsedAt }) => ({
          key: _id,
          term: `API Credential ${name}`,
          value: [
            accessKey,
            isActive ? 'active' : 'inactive',
            expiresAt ? `expires ${formatDate(expiresAt)}` : 'never expires',
            lastUsedAt ? `last used ${formatDate(lastUsedAt)}` : 'never used',
          ].join(' · '),
          isWide: true,
        })),
      ]}
    />
  )
}

import type { Identity } from '@portico/contract/identities'
import { Badge, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Column } from '#ui/table/data-table.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { identityName, RowNames } from '#domain/access'

/** The columns of the identities; `renderActions` renders the buttons of a row. */
export const identityColumns = (renderActions: (identity: Identity) => ReactNode): Column<Identity>[] => [
  { key: 'email', title: 'Email', isRowHeader: true, render: (identity) => <Name identity={identity} /> },
  { key: 'aid', title: 'Account Id', render: ({ aid }) => (aid === '*' ? '* (global)' : aid) },
  { key: 'groups', title: 'Groups', render: ({ groups }) => <RowNames names={groups.map(({ name }) => name)} /> },
  {
    key: 'accessToAllSubAccounts',
    title: 'Access to All Subaccounts',
    render: ({ accessToAllSubAccounts }) => (accessToAllSubAccounts ? 'Yes' : 'No'),
  },
  { key: 'hasApiAccess', title: 'API Access', render: ({ hasApiAccess }) => (hasApiAccess ? 'Yes' : 'No') },
  {
    key: 'status',
    title: 'Status',
    comesEarly: true,
    render: ({ status }) => <StatusBadge status={status} />,
  },
  {
    key: 'buttons',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    align: 'right',
    width: 104,
    isPinned: true,
    render: renderActions,
  },
]

/** A service is marked, as it has no email. */
function Name({ identity }: { identity: Identity }) {
  return (
    <>
      {identityName(identity)}
      {identity.kind === 'service' && (
        <Badge ml={8} color="gray" tt="none">
          service
        </Badge>
      )}
    </>
  )
}

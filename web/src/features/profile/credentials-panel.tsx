import type { OwnCredentials } from '@portico/contract/own-identities'
import { Button, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { CredentialsDialog } from '#domain/credentials'
import IconKey from '#icons/IconKey'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import { useUser } from '#lib/session/session.ts'
import { useLocalTable } from '#lib/table/local-table.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { useChangeOwnCredential, useOwnCredentials } from './profile-queries.ts'

/** The person's API credentials, for each account they belong to. */
export function CredentialsPanel() {
  const { email } = useUser()
  const credentials = useOwnCredentials()
  const change = useChangeOwnCredential()
  const table = useLocalTable(credentials.data)
  const [managedId, setManagedId] = useState<string | null>(null)
  // The current version: the dialog changes it.
  const managed = credentials.data?.find(({ _id }) => _id === managedId)
  return (
    <Panel
      title="API credentials"
      description="Programs that use them act as you, with your rights in that account. Delete any you do not recognise."
    >
      <DataTable<OwnCredentials>
        label="API credentials"
        columns={columns(setManagedId)}
        {...table}
        getRecordId={({ _id }) => _id}
        getRecordLabel={accountNameOf}
        empty={
          <EmptyState icon={<IconKey size={22} />} title="No accounts">
            Accounts that you belong to appear here.
          </EmptyState>
        }
        failure={
          credentials.error && !credentials.data ? (
            <FailureState message={messageOf(credentials.error)} onRetry={() => void credentials.refetch()} />
          ) : undefined
        }
      />
      {managed && (
        <CredentialsDialog
          identity={{ ...managed, name: accountNameOf(managed), email }}
          change={change}
          lockReason={null}
          isOwner
          onClose={() => setManagedId(null)}
        />
      )}
    </Panel>
  )
}

const accountNameOf = ({ account }: OwnCredentials): string => account?.Value ?? 'All accounts'

/** The last use of any of them. */
function lastUseOf({ apiCredentials }: OwnCredentials): string | null {
  return apiCredentials.map(({ lastUsedAt }) => lastUsedAt).reduce((a, b) => ((a ?? '') > (b ?? '') ? a : b), null)
}

const columns = (onManage: (id: string) => void): Column<OwnCredentials>[] => [
  { key: 'account', title: 'Account', isRowHeader: true, render: accountNameOf },
  { key: 'count', title: 'Credentials', render: ({ apiCredentials }) => apiCredentials.length },
  {
    key: 'active',
    title: 'Active',
    render: ({ apiCredentials }) => apiCredentials.filter(({ isActive }) => isActive).length,
  },
  { key: 'lastUsedAt', title: 'Last used', render: (own) => formatDate(lastUseOf(own)) },
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    align: 'right',
    width: 90,
    isPinned: true,
    render: (own) => (
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={`Manage API credentials in ${accountNameOf(own)}`}
        onClick={() => onManage(own._id)}
      >
        Manage
      </Button>
    ),
  },
]

import type { Impersonation } from '@portico/contract/impersonation'
import { ActionIcon, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import IconLink from '#icons/IconLink'
import IconLinkOff from '#icons/IconLinkOff'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatDate, formatDuration } from '#lib/formats.ts'
import { useLocalTable } from '#lib/table/local-table.ts'
import { useSetting } from '#lib/settings.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { TableCard } from '#ui/table/table-card.tsx'
import { useLinks, useRevokeLink } from './impersonation-queries.ts'
import { permissionsIn } from './impersonation-rules.ts'

/** The account's links that still work. */
export function LiveLinks() {
  const links = useLinks()
  const table = useLocalTable(links.data)
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [singleExpand] = useSetting('singleExpand')
  return (
    <TableCard isDense={isDense} onDenseChange={setDense} toolbar={<b>Live links</b>}>
      <DataTable<Impersonation>
        label="Live links"
        columns={columnsAt(links.dataUpdatedAt)}
        {...table}
        getRecordId={({ _id }) => _id}
        getRecordLabel={labelOf}
        expansion={(link) => <LinkDetails link={link} />}
        allowsManyOpen={!singleExpand}
        isDense={isDense}
        empty={
          <EmptyState icon={<IconLink size={22} />} title="No active links.">
            Links appear here until they expire or are revoked.
          </EmptyState>
        }
        failure={
          links.error ? (
            <FailureState message={messageOf(links.error)} onRetry={() => void links.refetch()} />
          ) : undefined
        }
      />
    </TableCard>
  )
}

const labelOf = ({ creator, ip }: Impersonation): string => `link of ${creator} for ${ip}`

const columnsAt = (now: number): Column<Impersonation>[] => [
  { key: 'creator', title: 'Creator', isRowHeader: true, render: ({ creator }) => creator },
  { key: 'ip', title: 'Address', render: ({ ip }) => ip },
  {
    key: 'policies',
    title: 'Permissions',
    render: ({ policies }) =>
      policies === null ? "All of the creator's" : formatCount(permissionsIn(policies).length, 'permission'),
  },
  {
    key: 'expiresAt',
    title: 'Expires in',
    render: ({ expiresAt }) => <span title={formatDate(expiresAt)}>{formatDuration(Date.parse(expiresAt) - now)}</span>,
  },
  { key: 'lastUsedAt', title: 'Last used', render: ({ lastUsedAt }) => formatDate(lastUsedAt) || 'never' },
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    align: 'right',
    width: 48,
    isPinned: true,
    render: (link) => <RevokeButton link={link} />,
  },
]

function LinkDetails({ link: { policies, createdAt, expiresAt } }: { link: Impersonation }) {
  return (
    <DefinitionList
      columns={2}
      items={[
        { term: 'Created', value: formatDate(createdAt) },
        { term: 'Expires', value: formatDate(expiresAt) },
        {
          term: 'Permissions',
          value:
            policies === null ? (
              'All current and future permissions of the creator'
            ) : (
              <NameList names={permissionsIn(policies)} />
            ),
          isWide: true,
        },
      ]}
    />
  )
}

function RevokeButton({ link }: { link: Impersonation }) {
  const [isAsking, { open, close }] = useDisclosure()
  const revoke = useRevokeLink()
  const onConfirm = (): void =>
    revoke.mutate(link._id, {
      onSuccess: () => notifyDone('The link was revoked.'),
      onError: (error) => notifyError(messageOf(error)),
      onSettled: close,
    })
  return (
    <>
      <ActionIcon size={24} color="red" aria-label={`Revoke ${labelOf(link)}`} title="Revoke" onClick={open}>
        <IconLinkOff size={16} aria-hidden />
      </ActionIcon>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Revoke the link for ${link.ip}`}
        question="Are you sure?"
        confirmLabel="Yes, revoke it"
        isBusy={revoke.isPending}
        onConfirm={onConfirm}
        onClose={close}
      />
    </>
  )
}

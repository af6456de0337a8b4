import type { OwnSession } from '@portico/contract/own-account'
import { Badge, Button, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import IconDeviceDesktop from '#icons/IconDeviceDesktop'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatDate } from '#lib/formats.ts'
import { useLocalTable } from '#lib/table/local-table.ts'
import { signOut } from '#lib/session/session.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { Panel } from '#ui/page/panel.tsx'
import { endOtherSessions, endSession, useOwnSessions, useSecurityChange } from './profile-queries.ts'

/** The person's sessions, each with a button to end it. */
export function SessionsPanel() {
  const sessions = useOwnSessions()
  const table = useLocalTable(sessions.data)
  const [ending, setEnding] = useState<OwnSession | null>(null)
  const others = sessions.data?.filter(({ isCurrent }) => !isCurrent).length ?? 0
  return (
    <Panel
      title="Sessions"
      description="Where you are signed in. End any session you do not recognise, then change your password."
      actions={<EndOthers count={others} />}
    >
      <DataTable<OwnSession>
        label="Sessions"
        columns={columns(setEnding)}
        {...table}
        getRecordId={({ _id }) => _id}
        getRecordLabel={labelOf}
        empty={
          <EmptyState icon={<IconDeviceDesktop size={22} />} title="No sessions">
            Active sessions appear here.
          </EmptyState>
        }
        failure={
          sessions.error && !sessions.data ? (
            <FailureState message={messageOf(sessions.error)} onRetry={() => void sessions.refetch()} />
          ) : undefined
        }
      />
      {ending && <EndOne session={ending} onClose={() => setEnding(null)} />}
    </Panel>
  )
}

const labelOf = ({ device, address }: OwnSession): string => `${device}, ${address}`

const columns = (onEnd: (session: OwnSession) => void): Column<OwnSession>[] => [
  {
    key: 'device',
    title: 'Device',
    isRowHeader: true,
    render: ({ device, isCurrent }) => (
      <>
        {device}
        {isCurrent && (
          <Badge ml={8} color="green" tt="none">
            This session
          </Badge>
        )}
      </>
    ),
  },
  { key: 'address', title: 'Address', render: ({ address }) => address },
  { key: 'lastSeenAt', title: 'Last seen', render: ({ lastSeenAt }) => formatDate(lastSeenAt) },
  { key: 'createdAt', title: 'Signed in', render: ({ createdAt }) => formatDate(createdAt) },
  { key: 'expiresAt', title: 'Expires', render: ({ expiresAt }) => formatDate(expiresAt) },
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    align: 'right',
    width: 90,
    isPinned: true,
    render: (session) => (
      <Button
        size="compact-xs"
        variant="subtle"
        color="red"
        aria-label={session.isCurrent ? 'Log out of this session' : `End ${labelOf(session)}`}
        onClick={() => (session.isCurrent ? void signOut() : onEnd(session))}
      >
        {session.isCurrent ? 'Log out' : 'End'}
      </Button>
    ),
  },
]

function EndOne({ session, onClose }: { session: OwnSession; onClose: () => void }) {
  const end = useSecurityChange(endSession)
  const onConfirm = (): void =>
    end.mutate(session._id, {
      onSuccess: () => notifyDone('The session was ended.'),
      // It has ended by itself meanwhile, which is the wanted result.
      onError: (error) => !isApiError(error, 'not_found') && notifyError(messageOf(error)),
      onSettled: onClose,
    })
  return (
    <ConfirmDialog
      isOpen
      title="End the session"
      question={
        <>
          Are you sure? {session.device} ({session.address}) is signed out at once.
        </>
      }
      confirmLabel="Yes, end it"
      isBusy={end.isPending}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}

function endedInWords(sessions: number, links: number): string {
  const counts = [formatCount(sessions, 'session'), ...(links > 0 ? [formatCount(links, 'impersonation link')] : [])]
  return `${counts.join(' and ')} ${sessions + links === 1 ? 'was' : 'were'} ended.`
}

function EndOthers({ count }: { count: number }) {
  const [isAsking, { open, close }] = useDisclosure()
  const end = useSecurityChange(endOtherSessions)
  const onConfirm = (): void =>
    end.mutate(undefined, {
      onSuccess: ({ ended, endedLinks }) => notifyDone(endedInWords(ended, endedLinks)),
      onError: (error) => notifyError(messageOf(error)),
      onSettled: close,
    })
  return (
    <>
      <Button variant="default" onClick={open}>
        End all others
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title="End all other sessions"
        question={
          <Text>
            Are you sure? {count > 0 && `${formatCount(count, 'session')} on other devices or browsers will end. `}
            Impersonation links that you created will end.
          </Text>
        }
        confirmLabel="Yes, end them"
        isBusy={end.isPending}
        onConfirm={onConfirm}
        onClose={close}
      />
    </>
  )
}

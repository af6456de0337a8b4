import type { DashboardVersion } from '@portico/contract/dashboards'
import { Alert, Button, Group, Text } from '@mantine/core'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { isApiError } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'

/** Why a save was refused although the form is valid. */
export type Conflict =
  | { kind: 'newer'; message: string; version: number; versions: DashboardVersion[] }
  | { kind: 'sharing'; message: string; paids: string; aids: string }

/** The conflict in an error; null for any other error. */
export function conflictOf(error: unknown): Conflict | null {
  // The server writes the details of these codes in this form.
  if (isApiError(error, 'newer_version')) {
    const { version, changes } = error.details as { version: number; changes: DashboardVersion[] }
    return { kind: 'newer', message: error.message, version, versions: changes }
  }
  if (!isApiError(error, 'sharing_changed')) return null
  const { paids, aids } = error.details as { paids: number[] | 'all'; aids: number[] | 'all' }
  return { kind: 'sharing', message: error.message, paids: listed(paids), aids: listed(aids) }
}

const listed = (ids: number[] | 'all'): string => (ids === 'all' ? 'all' : ids.join(', '))

type ConflictNoteProps = { conflict: Conflict; isBusy: boolean; onCopy: () => void; onOverwrite: () => void }

/** Shows the reason saving is blocked, and the user's options. */
export function ConflictNote({ conflict, isBusy, onCopy, onOverwrite }: ConflictNoteProps) {
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert" title={conflict.message}>
      {conflict.kind === 'sharing' ? (
        <Text size="sm">{`Parent accounts: ${conflict.paids}. Accounts: ${conflict.aids}. Choose again below.`}</Text>
      ) : (
        <>
          <ul>
            {conflict.versions.slice(0, 5).map(({ version, savedBy, savedAt, changes }) => (
              <li key={version}>{`${formatDate(savedAt)}, ${savedBy}: ${changes}`}</li>
            ))}
          </ul>
          <Group gap="xs" mt="xs">
            <Button size="compact-xs" variant="default" loading={isBusy} onClick={onCopy}>
              Save mine as a copy
            </Button>
            <Button size="compact-xs" color="red.8" loading={isBusy} onClick={onOverwrite}>
              Save over it
            </Button>
          </Group>
        </>
      )}
    </Alert>
  )
}

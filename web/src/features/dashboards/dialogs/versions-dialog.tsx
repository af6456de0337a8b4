import type { Dashboard } from '@portico/contract/dashboards'
import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import { useFocusBack } from '#ui/dialog/focus-back.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { useRestoreVersion, useVersions } from '../dashboard-mutations.ts'

/** The last versions of a dashboard, newest first. Its author can restore one, which makes it the newest. */
export function VersionsDialog({ dashboard, onClose }: { dashboard: Dashboard; onClose: () => void }) {
  useFocusBack()
  const { _id: id, version: current, isAuthor } = dashboard
  const versions = useVersions(id)
  const restore = useRestoreVersion()
  const act = (version: number): void =>
    restore.mutate(
      { id, version },
      {
        onSuccess: () => {
          notifyDone(`Version ${version} was restored.`)
          onClose()
        },
        onError: (error) => notifyError(messageOf(error)),
      },
    )
  return (
    <Modal opened onClose={onClose} title="Versions" size={560} closeButtonProps={{ 'aria-label': 'Close' }}>
      {versions.isPending && <Loader size={18} aria-label="Loading versions" />}
      {versions.error && <Text role="alert">{messageOf(versions.error)}</Text>}
      <Stack gap="md">
        {versions.data?.map(({ version, savedBy, savedAt, changes }) => (
          <Group key={version} justify="space-between" wrap="nowrap" align="flex-start">
            <div>
              <Text size="sm" fw={600}>{`Version ${version}${version === current ? ' (current)' : ''}`}</Text>
              <Text size="xs" c="dimmed">{`${formatDate(savedAt)} · ${savedBy}`}</Text>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {changes}
              </Text>
            </div>
            {isAuthor && version !== current && (
              <Button
                variant="default"
                size="compact-xs"
                flex="none"
                loading={restore.isPending && restore.variables.version === version}
                aria-label={`Restore version ${version}`}
                onClick={() => act(version)}
              >
                Restore
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </Modal>
  )
}

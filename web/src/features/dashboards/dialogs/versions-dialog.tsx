import type { Dashboard } from '@portico/contract/dashboards'
import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import { useFocusBack } from '#ui/dialog/focus-back.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { useLoadVersion, useRestoreVersion, useVersions } from '../dashboard-mutations.ts'

type VersionsDialogProps = {
  dashboard: Dashboard
  /** Shows the definition of an earlier version, as unsaved changes; null if the dashboard cannot be edited. */
  onPreview: ((definition: string) => void) | null
  onClose: () => void
}

/**
 * The last versions of a dashboard, newest first. Its author can preview an earlier one, or restore it as the newest.
 */
export function VersionsDialog({ dashboard, onPreview, onClose }: VersionsDialogProps) {
  useFocusBack()
  const { _id: id, version: current, isAuthor } = dashboard
  const versions = useVersions(id)
  const restore = useRestoreVersion()
  const load = useLoadVersion()
  const isBusy = load.isPending || restore.isPending
  const onError = (error: Error): void => notifyError(messageOf(error))
  const preview = (version: number): void =>
    load.mutate(
      { id, version },
      {
        onSuccess: ({ definition }) => {
          onPreview?.(definition)
          notifyDone(`You are previewing version ${version}. Save to keep it, or undo to go back.`)
          onClose()
        },
        onError,
      },
    )
  const act = (version: number): void =>
    restore.mutate(
      // The newest version listed: one saved since then must not be undone unnoticed.
      { id, version, newest: versions.data?.[0]?.version ?? current },
      {
        onSuccess: () => {
          notifyDone(`Version ${version} was restored.`)
          onClose()
        },
        onError,
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
              <Group gap={6} wrap="nowrap" flex="none">
                {onPreview && (
                  <Button
                    variant="default"
                    size="compact-xs"
                    disabled={isBusy}
                    aria-label={`Preview version ${version}`}
                    onClick={() => preview(version)}
                  >
                    Preview
                  </Button>
                )}
                <Button
                  variant="default"
                  size="compact-xs"
                  disabled={isBusy}
                  loading={restore.isPending && restore.variables.version === version}
                  aria-label={`Restore version ${version}`}
                  onClick={() => act(version)}
                >
                  Restore
                </Button>
              </Group>
            )}
          </Group>
        ))}
      </Stack>
    </Modal>
  )
}

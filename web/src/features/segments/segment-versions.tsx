import type { FilterVersionEntry } from '@portico/contract/saved-filters'
import type { Segment } from '@portico/contract/segments'
import { Button, Loader, Text } from '@mantine/core'
import { QueryInWords } from '#domain/results'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import { useCan } from '#lib/session/session.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { Panel } from '#ui/page/panel.tsx'
import { useRestoreVersion, useVersions } from './segments-queries.ts'
import css from './segments.module.css'

/** The last versions of a segment, newest first: who saved each, when, and its filter. An earlier one can be restored. */
export function SegmentVersions({ segment: { _id, version: current } }: { segment: Segment }) {
  const versions = useVersions(_id, current)
  const canRestore = useCan('contact-rdls-update')
  const restore = useRestoreVersion(_id)
  const act = (version: number): void =>
    restore.mutate(
      { version, over: current },
      {
        onSuccess: () => notifyDone(`Version ${version} was restored.`),
        onError: (error) => notifyError(messageOf(error)),
      },
    )
  return (
    <Panel title="Versions">
      {versions.error && <FailureState message={messageOf(versions.error)} onRetry={() => void versions.refetch()} />}
      {versions.isPending && <Loader size={18} aria-label="Loading versions" />}
      {versions.data?.length === 0 && <Text size="sm">Versions are kept from the next save on.</Text>}
      <ol className={css['versions']} reversed>
        {versions.data?.map((entry) => (
          <li key={entry.version} className={css['version']}>
            <Version entry={entry} isCurrent={entry.version === current} />
            {canRestore && entry.version !== current && (
              <Button
                variant="default"
                size="compact-xs"
                disabled={restore.isPending}
                loading={restore.isPending && restore.variables.version === entry.version}
                aria-label={`Restore version ${entry.version}`}
                onClick={() => act(entry.version)}
              >
                Restore
              </Button>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function Version({ entry, isCurrent }: { entry: FilterVersionEntry; isCurrent: boolean }) {
  const { version, name, aggregateQuery, showInSubaccounts, savedBy, savedAt } = entry
  return (
    <div>
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {`${version}: ${name}${isCurrent ? ' (current)' : ''}`}
      </Text>
      <Text size="xs" c="dimmed">
        {`${formatDate(savedAt)} · ${savedBy}${showInSubaccounts ? ' · shown in sub-accounts' : ''}`}
      </Text>
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        {aggregateQuery === null ? 'A long filter.' : <QueryInWords query={aggregateQuery} />}
      </Text>
    </div>
  )
}

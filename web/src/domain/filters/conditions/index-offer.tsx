import type { IndexEstimate } from '@portico/contract/indexes'
import { Alert, Button, Group, Progress, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import IconBolt from '#icons/IconBolt'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatDuration, formatFileSize } from '#lib/formats.ts'
import { useCan } from '#lib/session/session.ts'
import { useCreateIndex, useFieldIndex, useIndexEstimate } from '../filter-queries.ts'

/**
 * A standard filter uses indexed fields only (specification 3 §5): for another field its index is offered, with what it
 * takes, and the way to it is shown.
 */
export function IndexOffer({ field }: { field: string }) {
  const canCreate = useCan('contact-indexes-create')
  // What stands and what it would take is told to who may see indexes; they can be made without.
  const canSee = useCan('contact-indexes-list')
  const index = useFieldIndex(field, canCreate && canSee)
  const estimate = useIndexEstimate(field, canCreate && canSee && index.data === undefined)
  const create = useCreateIndex()
  const isOnItsWay = create.isSuccess && !canSee
  useFieldsAfter(index.data?.state === 'ready', isOnItsWay)
  if (!canCreate) {
    return (
      <Alert color="yellow" icon={<IconBolt size={16} aria-hidden />} py={6} mb={8}>
        {`"${field}" has no index, so it can't be filtered by. Contact your admin to see how you can get this feature.`}
      </Alert>
    )
  }
  if (isOnItsWay) return <Building field={field} progress={null} />
  if (index.data?.state === 'building') return <Building field={field} progress={index.data.progress} />
  const failure = create.error ? messageOf(create.error) : index.data?.state === 'failed' ? index.data.reason : null
  return (
    <Alert color={failure ? 'red' : 'blue'} icon={<IconBolt size={16} aria-hidden />} py={6} mb={8}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex="1 1 220px">
          {failure ?? `"${field}" has no index, which a filter needs.`}{' '}
          {estimate.data &&
            `One for ${formatCount(estimate.data.rows, 'contact')} takes ${timeOf(estimate.data)} to build, and about ${formatFileSize(estimate.data.sizeBytes)}.`}
        </Text>
        <Button variant="light" loading={create.isPending} onClick={() => create.mutate(field)}>
          Create the index
        </Button>
      </Group>
    </Alert>
  )
}

const timeOf = ({ buildSeconds }: IndexEstimate): string =>
  buildSeconds < 1 ? 'less than a second' : `about ${formatDuration(buildSeconds * 1000)}`

function Building({ field, progress }: { field: string; progress: number | null }) {
  return (
    <Alert color="blue" icon={<IconBolt size={16} aria-hidden />} py={6} mb={8}>
      <output>{`'${field}' index is being created...`}</output>
      <Progress
        mt={6}
        value={(progress ?? 1) * 100}
        animated={progress === null}
        aria-label={`Progress of the index of ${field}`}
      />
    </Alert>
  )
}

const lookMs = 2000

/** Once the index is there, the fields say so; who may not see how far it is looks there every other second. */
function useFieldsAfter(isReady: boolean, isOnItsWay: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    const look = () => void client.invalidateQueries({ queryKey: ['fields'] })
    if (isReady) look()
    const timer = isOnItsWay ? setInterval(look, lookMs) : undefined
    return () => clearInterval(timer)
  }, [isReady, isOnItsWay, client])
}

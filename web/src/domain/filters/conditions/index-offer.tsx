import type { IndexEstimate } from '@portico/contract/indexes'
import { Alert, Button, Group, Progress, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import IconBolt from '#icons/IconBolt'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatDuration, formatFileSize } from '#lib/formats.ts'
import { useCan } from '#lib/session/session.ts'
import { useCreateIndex, useIndexDetails, useIndexEstimate } from '../filter-queries.ts'

type IndexOfferProps = {
  field: string
  /** Whether the filter cannot run without the index: the account allows indexed fields only (specification 3 §5). */
  isRequired: boolean
  /** Whether the index is already being built, as far as the caller knows. */
  isBuilding?: boolean
}

/** Offers an index for a field, with its build time and size, and shows the progress of the build. */
export function IndexOffer({ field, isRequired, isBuilding = false }: IndexOfferProps) {
  const canCreate = useCan('contact-indexes-create')
  // Creating an index does not require the right to see indexes; progress and estimate do.
  const canSee = useCan('contact-indexes-list')
  const index = useIndexDetails(field, canCreate)
  const estimate = useIndexEstimate(field, canCreate && index.data === undefined)
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
  if (index.data?.state === 'building') return <Building field={field} progress={index.data.progress} />
  if (isOnItsWay || isBuilding) return <Building field={field} progress={null} />
  const failure = create.error ? messageOf(create.error) : index.data?.state === 'failed' ? index.data.reason : null
  return (
    <Alert color={failure ? 'red' : 'blue'} icon={<IconBolt size={16} aria-hidden />} py={6} mb={8}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex="1 1 220px">
          {failure ?? `"${field}" has no index, ${isRequired ? 'which a filter needs' : 'so this filter may be slow'}.`}{' '}
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

const pollMs = 2000

/** Reloads the fields once the index is ready. Without the right to see its progress, polls them. */
function useFieldsAfter(isReady: boolean, isOnItsWay: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    const reload = () => void client.invalidateQueries({ queryKey: ['fields'] })
    if (isReady) reload()
    const timer = isOnItsWay ? setInterval(reload, pollMs) : undefined
    return () => clearInterval(timer)
  }, [isReady, isOnItsWay, client])
}

import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formatCount } from '#lib/formats.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ReservedPlace } from '#ui/page/reserved-place.tsx'
import { RefreshButton } from '#ui/table/refresh-button.tsx'
import type { useLoadedAt } from './loaded-at.ts'

const lockSeconds = 10

type JobListHeaderProps = {
  title: string
  noun: string
  count: Pick<UseQueryResult<number>, 'data' | 'isPending' | 'refetch'>
  isFiltered: boolean
  load: ReturnType<typeof useLoadedAt>
  /** Buttons for a list with jobs, before REFRESH. */
  listActions?: ReactNode
  /** The button for a new job. */
  newAction: ReactNode
}

/** The heading of a list of jobs: how many there are, REFRESH where there is something to load, and a new job. */
export function JobListHeader(props: JobListHeaderProps) {
  const { title, noun, count, isFiltered, load, listActions, newAction } = props
  // With a filter on, an empty list does not say that there are none.
  const hasJobs = count.isPending || (count.data !== undefined && (count.data > 0 || isFiltered))
  return (
    <PageHeader
      title={title}
      description={count.data === undefined ? ' ' : formatCount(count.data, noun) + (isFiltered ? ' found' : '')}
      actions={
        <>
          {hasJobs && (
            <ReservedPlace isReserved={count.isPending}>
              {listActions}
              <RefreshButton
                onRefresh={() => void load.refresh(count.refetch)}
                loadedAt={load.loadedAt}
                lockSeconds={lockSeconds}
                isLoading={load.isRefreshing}
              />
            </ReservedPlace>
          )}
          {newAction}
        </>
      }
    />
  )
}

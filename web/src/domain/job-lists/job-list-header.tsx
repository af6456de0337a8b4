import type { ReactNode } from 'react'
import { formatCount } from '#lib/formats.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ReservedPlace } from '#ui/page/reserved-place.tsx'
import { RefreshButton } from '#ui/table/refresh-button.tsx'
import type { useLoadedAt } from './loaded-at.ts'

/** Seconds for which Refresh stays locked after it is pressed. */
const lockSeconds = 10

type JobListHeaderProps = {
  title: string
  /** Noun for one job: 'import'. */
  noun: string
  count: { data: number | undefined; isPending: boolean; refetch: () => Promise<unknown> }
  /** A filter is active: an empty list must not say that there are no jobs. */
  isFiltered: boolean
  list: ReturnType<typeof useLoadedAt>
  /** Buttons next to Refresh, shown only while there are jobs. */
  buttons?: ReactNode
  /** The button for a new job. */
  children: ReactNode
}

/** The header of a list of jobs: their number, Refresh, and the button for a new job. */
export function JobListHeader({ title, noun, count, isFiltered, list, buttons, children }: JobListHeaderProps) {
  const hasJobs = count.isPending || (count.data !== undefined && (count.data > 0 || isFiltered))
  const number = count.data === undefined ? ' ' : formatCount(count.data, noun)
  return (
    <PageHeader
      title={title}
      description={count.data !== undefined && isFiltered ? `${number} found` : number}
      actions={
        <>
          {hasJobs && (
            <ReservedPlace isReserved={count.isPending}>
              {buttons}
              <RefreshButton
                onRefresh={() => void list.refresh(count.refetch)}
                loadedAt={list.loadedAt}
                lockSeconds={lockSeconds}
                isLoading={list.isRefreshing}
              />
            </ReservedPlace>
          )}
          {children}
        </>
      }
    />
  )
}

import type { Cron } from '@portico/contract/scheduler/crons'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import IconCalendarEvent from '#icons/IconCalendarEvent'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { useLocalTable } from '#lib/table/local-table.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { DataTable } from '#ui/table/data-table.tsx'
import type { TableSort } from '#ui/table/data-table-head.tsx'
import { SearchBox } from '#ui/table/search-box.tsx'
import { cronColumns, sortCrons } from './cron-columns.tsx'
import { useCrons } from './scheduler-queries.ts'

const states = ['Active', 'Terminated'] as const

/** The crons of a consumer: searched, sorted and changed. */
export function CronsTab({ consumerCode }: { consumerCode: ConsumerCode }) {
  const [state, setState] = useState<(typeof states)[number]>('Active')
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState<TableSort | null>({ field: 'name', direction: 'asc' })
  const crons = useCrons(consumerCode, state === 'Terminated')
  const table = useLocalTable<Cron>(crons.data && sortCrons(matching(crons.data, search), sort))
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          aria-label="Crons"
          data={[...states]}
          value={state}
          onChange={(chosen) => {
            setState(states.find((one) => one === chosen) ?? state)
            table.onPageChange(1)
          }}
        />
        <SearchBox
          label="Search crons by name or email"
          placeholder="Search name or email..."
          value={search}
          onSearch={(text) => {
            setSearch(text)
            table.onPageChange(1)
          }}
        />
      </Group>
      <DataTable<Cron>
        label="Crons"
        columns={cronColumns}
        {...table}
        getRecordId={({ _id }) => _id}
        getRecordLabel={({ name }) => name}
        footerAbove={10}
        sort={sort}
        onSortChange={setSort}
        empty={
          <EmptyState
            icon={<IconCalendarEvent size={22} />}
            title={search === '' ? 'No crons are available.' : 'No matching crons found.'}
          >
            <Text size="sm">Crons repeat exports and reports at times that you choose.</Text>
          </EmptyState>
        }
        failure={
          crons.error ? (
            <FailureState message={failureOf(crons.error)} onRetry={() => void crons.refetch()} />
          ) : undefined
        }
      />
    </Stack>
  )
}

const failureOf = (error: unknown): string =>
  isApiError(error, 'not_allowed') ? schedulerMessages.notAllowed : messageOf(error)

function matching(crons: Cron[], search: string): Cron[] {
  const wanted = search.trim().toLowerCase()
  return crons.filter(({ name, notificationEmails }) => `${name}\n${notificationEmails}`.toLowerCase().includes(wanted))
}

import { schedulerApi } from '@portico/contract/scheduler'
import type { Cron } from '@portico/contract/scheduler/crons'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { foldName, foldText } from '@portico/domain/names'
import { Box, Group, SegmentedControl, Stack } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import IconCalendarEvent from '#icons/IconCalendarEvent'
import IconPlus from '#icons/IconPlus'
import { useMayCall, useWhyNot } from '#lib/session/may-call.ts'
import { useLocalTable } from '#lib/table/local-table.ts'
import { useLoadWhenIdle } from '#ui/page/load-when-idle.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { DataTable } from '#ui/table/data-table.tsx'
import type { TableSort } from '#ui/table/data-table-head.tsx'
import { SearchBox } from '#ui/table/search-box.tsx'
import { cronColumns, sortCrons } from './cron-columns.tsx'
import type { CronValues } from './editor/cron-values.ts'
import { notifyAct } from './notify-act.ts'
import { CronEditor } from './deferred-editor.ts'
import { RunRangeDialog } from './cron-actions.tsx'
import { failureOf, useCrons } from './scheduler-queries.ts'

const states = ['Active', 'Terminated'] as const

/** Dialogs that the buttons of a row open. */
const deferredParts = [CronEditor, RunRangeDialog]

/** The initial values of a new cron. A function opens the form in which its work is chosen first, as for exports. */
export type NewCron = { instruction: Record<string, unknown>; initial: Partial<CronValues> } | (() => void)

type CronsTabProps = { consumerCode: ConsumerCode; newCron: NewCron; onView: (id: string) => void }

/** The crons of a consumer, to search, sort and change. */
export function CronsTab({ consumerCode, newCron, onView }: CronsTabProps) {
  const [state, setState] = useState<(typeof states)[number]>('Active')
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState<TableSort | null>({ field: 'name', direction: 'asc' })
  const crons = useCrons(consumerCode, state === 'Terminated')
  useLoadWhenIdle(deferredParts, crons.data !== undefined)
  const isPhone = useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false }) ?? false
  const columns = useMemo(() => cronColumns(onView, isPhone), [onView, isPhone])
  const table = useLocalTable<Cron>(crons.data && sortCrons(matching(crons.data, search), sort))
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          size="xs"
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
        <Box ml="auto">
          <AddCron consumerCode={consumerCode} newCron={newCron} />
        </Box>
      </Group>
      <DataTable<Cron>
        label="Crons"
        columns={columns}
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
            Crons repeat exports and reports at times that you choose.
          </EmptyState>
        }
        failure={
          crons.error ? (
            <FailureState message={failureOf(crons.error, 'list crons')} onRetry={() => void crons.refetch()} />
          ) : undefined
        }
      />
    </Stack>
  )
}

function AddCron({ consumerCode, newCron }: Pick<CronsTabProps, 'consumerCode' | 'newCron'>) {
  const [isAdding, setAdding] = useState(false)
  const mayCreate = useMayCall(schedulerApi.createCron)
  const whyNot = useWhyNot()
  return (
    <>
      <ReasonedButton
        label="ADD NEW CRON"
        Icon={IconPlus}
        reason={mayCreate ? null : whyNot}
        onClick={() => (typeof newCron === 'function' ? newCron() : setAdding(true))}
      />
      {isAdding && typeof newCron !== 'function' && (
        <CronEditor
          {...newCron}
          consumerCode={consumerCode}
          kept={null}
          onSaved={(name) => {
            notifyAct(schedulerMessages.added(name))
            setAdding(false)
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}

function matching(crons: Cron[], search: string): Cron[] {
  const wanted = foldName(search)
  return crons.filter(({ name, notificationEmails }) => foldText(`${name}\n${notificationEmails}`).includes(wanted))
}

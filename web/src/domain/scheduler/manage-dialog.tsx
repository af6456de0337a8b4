import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { Alert, Tabs } from '@mantine/core'
import { useState } from 'react'
import { useLiveList } from '#domain/job-lists'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { useRun } from './calendar/calendar-queries.ts'
import { RunCard } from './calendar/run-card.tsx'
import { SchedulesTab } from './calendar/schedules-tab.tsx'
import { CronView } from './cron-view.tsx'
import { CronsTab, type NewCron } from './crons-tab.tsx'
import css from './manage-dialog.module.css'
import { failureOf } from './scheduler-queries.ts'
import { useLinkedRun } from './use-scheduling.ts'

type ManageDialogProps = {
  consumerCode: ConsumerCode
  /** The initial values of a new cron, or the function that opens the form in which its work is chosen first. */
  newCron: NewCron
  onClose: () => void
}

/** The runs and the crons of exports or of reports. */
export function ManageDialog({ consumerCode, newCron, onClose }: ManageDialogProps) {
  const [viewed, setViewed] = useState<string | null>(null)
  const isLive = useLiveList('schedules')
  const link = useLinkedRun()
  const linked = useRun(link.id)
  return (
    <FormDialog title="Manage Schedules" width={1280} guard={{ isDirty: false, isBusy: false }} onClose={onClose}>
      <Tabs defaultValue="schedules" keepMounted={false} className={css['tabs'] ?? ''}>
        <Tabs.List>
          <Tabs.Tab value="schedules">Schedules</Tabs.Tab>
          <Tabs.Tab value="crons">Crons</Tabs.Tab>
        </Tabs.List>
        {linked.error && (
          <Alert color="red" mt="sm">
            {failureOf(linked.error, 'get schedule')}
          </Alert>
        )}
        <Tabs.Panel value="schedules" className={css['panel'] ?? ''}>
          <SchedulesTab consumerCode={consumerCode} isLive={isLive} onCron={setViewed} />
        </Tabs.Panel>
        <Tabs.Panel value="crons" className={css['panel'] ?? ''}>
          <CronsTab consumerCode={consumerCode} newCron={newCron} onView={setViewed} />
        </Tabs.Panel>
      </Tabs>
      {linked.data && <RunCard run={linked.data} onCron={setViewed} onClose={link.close} />}
      {viewed !== null && <CronView id={viewed} onClose={() => setViewed(null)} />}
    </FormDialog>
  )
}

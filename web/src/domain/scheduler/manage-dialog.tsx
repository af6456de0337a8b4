import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { Tabs } from '@mantine/core'
import { useState } from 'react'
import { useLiveList } from '#domain/job-lists'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { SchedulesTab } from './calendar/schedules-tab.tsx'
import { CronView } from './cron-view.tsx'
import { CronsTab, type NewCron } from './crons-tab.tsx'
import css from './manage-dialog.module.css'

type ManageDialogProps = {
  consumerCode: ConsumerCode
  /** The beginning of a new cron, or the function that opens the form in which its work is chosen first. */
  newCron: NewCron
  onClose: () => void
}

/** The runs and the crons of exports or of reports. */
export function ManageDialog({ consumerCode, newCron, onClose }: ManageDialogProps) {
  const [viewed, setViewed] = useState<string | null>(null)
  const isLive = useLiveList('schedules')
  return (
    <FormDialog title="Manage Schedules" width={1280} guard={{ isDirty: false, isBusy: false }} onClose={onClose}>
      <Tabs defaultValue="schedules" keepMounted={false} className={css['tabs'] ?? ''}>
        <Tabs.List>
          <Tabs.Tab value="schedules">Schedules</Tabs.Tab>
          <Tabs.Tab value="crons">Crons</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="schedules" className={css['panel'] ?? ''}>
          <SchedulesTab consumerCode={consumerCode} isLive={isLive} onCron={setViewed} />
        </Tabs.Panel>
        <Tabs.Panel value="crons" className={css['panel'] ?? ''}>
          <CronsTab consumerCode={consumerCode} newCron={newCron} onView={setViewed} />
        </Tabs.Panel>
      </Tabs>
      {viewed !== null && <CronView id={viewed} onClose={() => setViewed(null)} />}
    </FormDialog>
  )
}

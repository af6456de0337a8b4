import type { Dashboard } from '@portico/contract/dashboards'
import IconCalendarEvent from '#icons/IconCalendarEvent'
import IconCalendarPlus from '#icons/IconCalendarPlus'
import { DashboardSchedules, useScheduling } from '#domain/scheduler'
import { ReasonedItem } from '#ui/feedback/reasoned-item.tsx'

export type Scheduling = 'schedule' | 'manage'

/** The menu's entries of the scheduler. Without the right they stay and show why they are disabled. */
export function ScheduleItems({ onOpen }: { onOpen: (dialog: Scheduling) => void }) {
  const { whyNotSchedule, whyNotManage } = useScheduling()
  return (
    <>
      <ReasonedItem
        label="Schedule"
        Icon={IconCalendarPlus}
        reason={whyNotSchedule}
        onClick={() => onOpen('schedule')}
      />
      <ReasonedItem
        label="Manage Schedules"
        Icon={IconCalendarEvent}
        reason={whyNotManage}
        onClick={() => onOpen('manage')}
      />
    </>
  )
}

type ScheduleDialogsProps = { dashboard: Dashboard; open: Scheduling | null; onClose: () => void }

/** The dialogs of the scheduler for a dashboard. */
export function ScheduleDialogs({ dashboard, open, onClose }: ScheduleDialogsProps) {
  if (open === null) return null
  return <DashboardSchedules dashboard={dashboard} open={open} onClose={onClose} />
}

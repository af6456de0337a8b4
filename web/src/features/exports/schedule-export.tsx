import type { NewExport } from '@portico/contract/exports'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { CronEditor } from '#domain/scheduler'
import { notifyDone } from '#ui/feedback/notify.ts'

type ScheduleExportProps = { body: NewExport; onScheduled: () => void; onClose: () => void }

/** The dialog that schedules an export. */
export function ScheduleExport({ body, onScheduled, onClose }: ScheduleExportProps) {
  return (
    <CronEditor
      consumerCode="EXPORT"
      kept={null}
      instruction={body}
      initial={{ name: body.name }}
      onSaved={(name) => {
        notifyDone(schedulerMessages.scheduled(name))
        onScheduled()
      }}
      onClose={() => {
        notifyDone(schedulerMessages.cancelled)
        onClose()
      }}
    />
  )
}

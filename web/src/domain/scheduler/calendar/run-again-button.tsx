import { schedulerApi } from '@portico/contract/scheduler'
import { describeWindow, isOffset } from '@portico/domain/scheduler/offset-window'
import type { Schedule } from '@portico/contract/scheduler/schedules'
import { useState } from 'react'
import IconRepeat from '#icons/IconRepeat'
import { formatDate } from '#lib/formats.ts'
import { useMayCall, useWhyNot } from '#lib/session/may-call.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { valuesOf } from '../editor/cron-values.ts'
import { useWindowedDates } from '../editor/use-windowed-dates.ts'
import { failureOf, useBackfill, useCron } from '../scheduler-queries.ts'

/** Repeats the run of a due time, with the same days of data. */
export function RunAgainButton({ run }: { run: Schedule }) {
  const [isAsking, setAsking] = useState(false)
  const mayUpdate = useMayCall(schedulerApi.backfillCron)
  const whyNot = useWhyNot()
  const backfill = useBackfill()
  return (
    <>
      <ReasonedButton
        label="Run again"
        Icon={IconRepeat}
        reason={mayUpdate ? null : whyNot}
        onClick={() => setAsking(true)}
      />
      {isAsking && (
        <ConfirmDialog
          isOpen
          title="Run again"
          question={<Question run={run} />}
          confirmLabel="Run again"
          cancelLabel="Cancel"
          isDangerous={false}
          isBusy={backfill.isPending}
          onConfirm={() =>
            backfill.mutate(
              { id: run.cron._id, body: { from: run.scheduleDate } },
              {
                onSuccess: () => notifyDone(`${run.cron.name} of ${formatDate(run.scheduleDate)} runs again.`),
                onError: (error) => notifyError(failureOf(error, 'run again')),
                onSettled: () => setAsking(false),
              },
            )
          }
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** Asks before the run: shows its window and the settings it uses. */
function Question({ run }: { run: Schedule }) {
  const { data: cron } = useCron(run.cron._id)
  const values = cron && valuesOf(cron)
  const dates = useWindowedDates(run.consumerCode, {
    dateField: values?.dateField ?? '',
    url: values?.url ?? '',
  })
  const offset = values?.offset ?? null
  const window =
    cron && offset !== null && isOffset(offset)
      ? ` ${describeWindow(offset, Date.parse(run.scheduleDate), cron.cronTZ, dates)}`
      : ''
  return (
    <>
      Run {run.cron.name} of {formatDate(run.scheduleDate)} again, with the present settings of its cron?{window}
      {values?.download.overwrite && ' Its file replaces the one at the SFTP server.'}
    </>
  )
}

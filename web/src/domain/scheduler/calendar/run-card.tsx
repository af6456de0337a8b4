import { schedulerApi } from '@portico/contract/scheduler'
import type { Schedule, ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import IconCalendarEvent from '#icons/IconCalendarEvent'
import IconDownload from '#icons/IconDownload'
import IconPlayerSkipForward from '#icons/IconPlayerSkipForward'
import { DeliveryList } from '#domain/job-lists'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate, formatNumber } from '#lib/formats.ts'
import { useMayCall, useWhyNot } from '#lib/session/may-call.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { type Definition, DefinitionList } from '#ui/page/definition-list.tsx'
import { stateName } from '../run-looks.tsx'
import { failureOf } from '../scheduler-queries.ts'
import { useFileLink, useResendDelivery, useRun, useSkipRun } from './calendar-queries.ts'
import { RunAgainButton } from './run-again-button.tsx'
import css from './run-card.module.css'

type RunCardProps = { run: Schedule; onCron: (id: string) => void; onClose: () => void }

/** Everything about a run. An upcoming run has only its date, and can be skipped. */
export function RunCard({ run, onCron, onClose }: RunCardProps) {
  const isUpcoming = run.status === 'upcoming'
  const details = useRun(isUpcoming ? null : run._id)
  const current = details.data ?? run
  return (
    <FormDialog title={run.cron.name} width={640} guard={{ isDirty: false, isBusy: false }} onClose={onClose}>
      <div className={css['content']}>
        <Stack gap="md">
          <DefinitionList columns={3} label="Run" items={itemsOf(current, details.data)} />
          {details.error && <Text c="red">{failureOf(details.error, 'get schedule')}</Text>}
          <Group gap="xs">
            <FileButton url={current.fileUrl} />
            {isPastDueTime(current) && <RunAgainButton run={run} />}
            {isAhead(current) && <SkipButton run={run} onSkipped={onClose} />}
            <ReasonedButton label="Show cron" Icon={IconCalendarEvent} onClick={() => onCron(run.cron._id)} />
          </Group>
        </Stack>
      </div>
    </FormDialog>
  )
}

/** A cron's next run already exists, and waits for its due time. */
const isAhead = ({ status, scheduleDate, isRunNow, isBackfill }: Schedule): boolean =>
  status === 'upcoming' || (status === 'waiting' && !isRunNow && !isBackfill && Date.parse(scheduleDate) > Date.now())

/** An ended run for a due time can be run again. */
const isPastDueTime = ({ status, isRunNow }: Schedule): boolean =>
  !isRunNow && (status === 'completed' || status === 'terminated')

function itemsOf(run: Schedule, details: ScheduleDetails | undefined): Definition[] {
  const dueItems: Definition[] = [
    { term: 'Status', value: <StatusBadge status={stateName(run.state)} /> },
    { term: 'Schedule Date', value: formatDate(run.scheduleDate) },
    { term: 'Sequence', value: run.isBackfill ? 'Run again' : run.isRunNow ? 'Run now' : run.runSequence },
    { term: 'Cron Description', value: run.cron.cronDesc, isWide: true },
  ]
  if (run.status === 'upcoming') return dueItems
  return [
    ...dueItems,
    { term: 'Start Date', value: formatDate(run.startDate) },
    { term: 'End Date', value: formatDate(run.endDate) },
    { term: 'Processed Records', value: run.processedRecords === null ? null : formatNumber(run.processedRecords) },
    { term: 'Recovery Count', value: formatNumber(run.recoveryCount) },
    {
      term: 'File Transfer Status',
      value: run.fileTransferStatus && <StatusBadge status={run.fileTransferStatus} />,
    },
    { term: 'Comment', value: run.comment, isWide: true },
    ...(details ? detailItems(details) : []),
  ]
}

function detailItems({ _id, attempts, deliveries, job }: ScheduleDetails): Definition[] {
  return [
    ...(job ? [{ term: job.kind === 'export' ? 'Export' : 'Report', value: job.name, isWide: true }] : []),
    ...(attempts.length > 0 ? [{ term: 'Attempts', value: <Attempts attempts={attempts} />, isWide: true }] : []),
    ...(deliveries.length > 0
      ? [{ term: 'Deliveries', value: <Deliveries runId={_id} deliveries={deliveries} />, isWide: true }]
      : []),
  ]
}

function Attempts({ attempts }: Pick<ScheduleDetails, 'attempts'>) {
  return (
    <ol className={css['attempts']}>
      {attempts.map(({ startedAt, endedAt, status, processedRecords, error }) => (
        <li key={startedAt}>
          {[
            `${status}: ${[...new Set([startedAt, endedAt ?? startedAt].map((time) => formatDate(time)))].join(' – ')}`,
            processedRecords === null ? null : `${formatNumber(processedRecords)} records`,
            error,
          ]
            .filter((text) => text !== null)
            .join(', ')}
        </li>
      ))}
    </ol>
  )
}

function Deliveries({ runId, deliveries }: { runId: string; deliveries: ScheduleDetails['deliveries'] }) {
  const resend = useResendDelivery(runId)
  const canResend = useMayCall(schedulerApi.resendScheduleDelivery)
  const [asked, setAsked] = useState<Asked | null>(null)
  const mutate: typeof resend.mutate = (id, options) => setAsked({ id, options })
  return (
    <>
      <DeliveryList deliveries={deliveries} resend={canResend ? { isPending: resend.isPending, mutate } : null} />
      {asked && (
        <ConfirmDialog
          isOpen
          title="Resend"
          question={`Sends the file of this run again, as the cron says now: to ${deliveries.find(({ _id }) => _id === asked.id)?.resendTarget}.`}
          confirmLabel="Resend"
          cancelLabel="Cancel"
          isDangerous={false}
          onConfirm={() => {
            resend.mutate(asked.id, asked.options)
            setAsked(null)
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

/** A delivery that the user wants to send again. */
type Asked = { id: string; options: Parameters<ReturnType<typeof useResendDelivery>['mutate']>[1] }

function FileButton({ url: fileUrl }: { url: string | null }) {
  const link = useFileLink()
  if (fileUrl === null) return null
  return (
    <Button
      leftSection={<IconDownload size={15} aria-hidden />}
      loading={link.isPending}
      onClick={() =>
        link.mutate(fileUrl, {
          // The server sends an attachment, so the page stays.
          onSuccess: ({ url }) => window.location.assign(url),
          onError: (error) => notifyError(messageOf(error)),
        })
      }
    >
      Download
    </Button>
  )
}

function SkipButton({ run, onSkipped }: { run: Schedule; onSkipped: () => void }) {
  const skip = useSkipRun()
  const mayUpdate = useMayCall(schedulerApi.updateCron)
  const whyNot = useWhyNot()
  return (
    <ReasonedButton
      label="Skip"
      Icon={IconPlayerSkipForward}
      reason={mayUpdate ? null : whyNot}
      isLoading={skip.isPending}
      onClick={() =>
        skip.mutate(run, {
          onSuccess: () => {
            notifyDone(`The run of ${run.cron.name} on ${formatDate(run.scheduleDate)} is skipped.`)
            onSkipped()
          },
          onError: (error) => notifyError(failureOf(error, 'skip schedule')),
        })
      }
    />
  )
}

import { dateFieldInWords } from '@portico/contract/dashboards/date-field'
import { type Cron, defaultPort } from '@portico/contract/scheduler/crons'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { Alert, Button, Code, Group, Loader, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatDate } from '#lib/formats.ts'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { type Definition, DefinitionList } from '#ui/page/definition-list.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { useRun } from './calendar/calendar-queries.ts'
import { dayIn } from './day-in.ts'
import { valuesOf } from './editor/cron-values.ts'
import { offsetInWords } from './editor/offset-in-words.ts'
import { delimiterName, downloadSwitches } from './editor/report-fields.tsx'
import { ExportSettings } from './export-settings.tsx'
import { stateName } from './run-looks.tsx'
import { failureOf, useCron } from './scheduler-queries.ts'

/** A read-only view of a cron, with its last and its next run (specification 4 §2). */
export function CronView({ id, onClose }: { id: string; onClose: () => void }) {
  const { data: cron, error } = useCron(id)
  return (
    <FormDialog title={cron?.name ?? 'Cron'} width={760} guard={{ isDirty: false, isBusy: false }} onClose={onClose}>
      <DialogForm
        onSubmit={onClose}
        footer={
          <Group justify="flex-end">
            <Button variant="default" type="submit">
              Close
            </Button>
          </Group>
        }
      >
        {error && <Alert color="red">{failureOf(error, 'get cron')}</Alert>}
        {!cron && !error && <Loader size={18} aria-label="Loading items. Please wait..." />}
        {cron && <Parts cron={cron} />}
      </DialogForm>
    </FormDialog>
  )
}

function Parts({ cron }: { cron: Cron }) {
  const instruction = cron.instruction ?? null
  return (
    <Stack gap="lg">
      <Part title="Cron Settings">
        <DefinitionList columns={3} label="Cron Settings" items={settingsOf(cron)} />
      </Part>
      <Part title="Schedules Information">
        <DefinitionList
          columns={2}
          label="Schedules Information"
          items={[
            { term: 'Last completed schedule', value: <RunTime id={cron.lastComletedScheduleId} date={null} /> },
            {
              term: 'Next schedule',
              value: <RunTime id={cron.nextScheduleId} date={cron.nextRunAt} />,
            },
          ]}
        />
      </Part>
      {cron.consumerCode === 'EXPORT' && (
        <Part title="Export Settings">
          <ExportSettings instruction={instruction ?? {}} />
        </Part>
      )}
      {cron.consumerCode === 'BI' && (
        <>
          {instruction !== null && (
            <Part title="Download Settings">
              <DefinitionList columns={3} label="Download Settings" items={downloadOf(cron)} />
            </Part>
          )}
          <Part title="File Transfer Settings">
            <DefinitionList columns={3} label="File Transfer Settings" items={transferOf(cron)} />
          </Part>
          {notificationOf(cron) !== null && (
            <Part title="Email Notification Settings">
              <DefinitionList columns={3} label="Email Notification Settings" items={notificationOf(cron) ?? []} />
            </Part>
          )}
          <Part title="Instruction">
            {instruction === null ? (
              <Alert color="red">{schedulerMessages.noInstruction}</Alert>
            ) : (
              <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {JSON.stringify(instruction, null, 2)}
              </Code>
            )}
          </Part>
        </>
      )}
    </Stack>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={3} mb={6}>
        {title}
      </Title>
      {children}
    </section>
  )
}

function settingsOf(cron: Cron): Definition[] {
  const { offset, dateField } = (cron.instruction ?? {}) as { offset?: string; dateField?: string }
  const { paused } = cron
  return [
    { term: 'Name', value: cron.name },
    { term: 'Emails', value: cron.notificationEmails, isWide: true },
    { term: 'Cron Description', value: cron.cronDesc, isWide: true },
    { term: 'Timezone', value: cron.cronTZ },
    { term: 'Start Date', value: dayIn(cron.cronStart, cron.cronTZ) },
    cron.cronRepeat === null
      ? { term: 'End Date', value: dayIn(cron.cronEnd, cron.cronTZ) || 'No end' }
      : { term: 'Number of repeats', value: cron.cronRepeat },
    { term: 'Offset', value: offset === undefined ? '' : offsetInWords(offset) },
    ...(cron.consumerCode === 'EXPORT' ? [{ term: 'Date Field', value: dateFieldInWords(dateField) }] : []),
    { term: 'Runs with the rights of', value: cron.author },
    { term: 'Creation Date', value: formatDate(cron.createdAt) },
    ...(cron.terminated ? [{ term: 'Status', value: <StatusBadge status="terminated" /> }] : []),
    ...(paused
      ? [{ term: 'Paused', value: `Since ${formatDate(paused.since)} by ${paused.by}. ${paused.reason}`, isWide: true }]
      : []),
  ]
}

function transferOf({ transferProtocol, ftpHost, ftpFolder, ftpPort, ftpUser }: Cron): Definition[] {
  if (transferProtocol === '') return [{ term: 'Protocol', value: 'Download' }]
  return [
    { term: 'Protocol', value: transferProtocol },
    { term: 'Host', value: ftpHost },
    { term: 'Folder', value: ftpFolder },
    { term: 'Port', value: ftpPort ?? defaultPort },
    { term: 'User Name', value: ftpUser },
  ]
}

function downloadOf(cron: Cron): Definition[] {
  const { download } = valuesOf(cron)
  return [
    { term: 'File Name', value: download.fileName },
    { term: 'Delimiter', value: delimiterName(download.delimiter) },
    ...downloadSwitches(download.delimiter).map(([key, label]) => ({
      term: label,
      value: download[key] ? 'Yes' : 'No',
    })),
  ]
}

/** Null if no email is sent. */
function notificationOf(cron: Cron): Definition[] | null {
  const { notification } = valuesOf(cron)
  if (notification.from === '') return null
  return [
    { term: 'From', value: notification.from },
    { term: 'From Name', value: notification.fromName },
    { term: 'Attach the files', value: notification.attachFiles ? 'Yes' : 'No' },
    { term: 'Subject', value: notification.subject, isWide: true },
    { term: 'HTML Body', value: notification.bodyHtml, isWide: true },
    { term: 'Text Body', value: notification.bodyText, isWide: true },
  ]
}

/** When a run was due or will be, with its status; 'N/A' without one. */
function RunTime({ id, date }: { id: string | null; date: string | null }) {
  const { data } = useRun(id)
  if (data) {
    return (
      <Group gap="xs">
        {formatDate(data.scheduleDate)}
        <StatusBadge status={stateName(data.state)} />
      </Group>
    )
  }
  return date === null ? schedulerMessages.noSchedule : formatDate(date)
}

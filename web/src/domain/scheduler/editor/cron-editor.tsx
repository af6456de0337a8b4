import type { CronTiming } from '@portico/domain/scheduler/cron-times'
import type { Cron } from '@portico/contract/scheduler/crons'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { Alert, Stack, TextInput, Title } from '@mantine/core'
import { memo, type ReactNode, useMemo } from 'react'
import { SavedMeanwhile } from '#domain/editing'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { ExportSettings } from '../export-settings.tsx'
import css from './cron-editor.module.css'
import { cronLabels } from './cron-labels.ts'
import { CronPreview } from './cron-preview.tsx'
import { cronEditorWidth, timingOf } from './cron-values.ts'
import { type FieldsProps, partOf } from './fields-props.ts'
import { CronTest, ReportContent } from './report-parts.ts'
import { DownloadFields, NotificationFields, TransferFields } from './report-fields.tsx'
import { TimingFields } from './timing-fields.tsx'
import { type CronEditorProps, useCronEditing } from './use-cron-editing.ts'
import { useWindowedDates } from './use-windowed-dates.ts'

function keptTiming({ cron, cronTZ, cronStart, cronEnd, cronRepeat, createdAt }: Cron): CronTiming {
  return { cron, cronTZ, cronStart, cronEnd, cronRepeat, savedAt: Date.parse(createdAt) }
}

/** The dialog of a cron: settings, and for reports files, transfer and email (specification 4 §2). */
export function CronEditor(props: CronEditorProps) {
  const { consumerCode, kept, instruction, onClose } = props
  const { values, settled, change, problems, now, isDirty, isBusy, problem, submit, form, editing } =
    useCronEditing(props)
  const timing = useMemo(() => (kept ? keptTiming(kept) : { ...timingOf(settled), savedAt: now }), [kept, settled, now])
  const { dateField, url } = settled
  const dates = useWindowedDates(consumerCode, { dateField, url })
  if (consumerCode === 'BI' && !kept && instruction === null) {
    return (
      <FormDialog title="Schedule" width={480} guard={{ isDirty: false, isBusy: false }} onClose={onClose}>
        <Alert color="red">{schedulerMessages.noInstruction}</Alert>
      </FormDialog>
    )
  }
  const fields: FieldsProps = { values, onChange: change, problems }
  const tests = { whole: { consumerCode, values, instruction, kept }, form }
  return (
    <FormDialog
      title={kept ? kept.name : 'Schedule'}
      width={cronEditorWidth}
      guard={{ isDirty, isBusy }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={submit}
        footer={
          <>
            {problem !== null && (
              <Alert color="red" role="alert" mb="sm">
                {problem}
              </Alert>
            )}
            <DialogButtons onCancel={onClose} isBusy={isBusy}>
              Submit
            </DialogButtons>
          </>
        }
      >
        <SavedMeanwhile {...{ editing, isBusy }} labels={cronLabels} onOverwrite={submit} />
        <Stack gap="sm">
          <Panel title="Cron Settings">
            <Stack gap="sm">
              <NameFields {...fields} />
              <TimingFields {...fields} consumerCode={consumerCode} isKept={kept !== null} />
              <CronPreview timing={timing} offset={settled.offset} dates={dates} now={now} isKept={kept !== null} />
            </Stack>
          </Panel>
          {consumerCode === 'EXPORT' ? (
            <Panel title="Export Settings">
              <Settings instruction={(kept ? kept.instruction : instruction) ?? {}} />
            </Panel>
          ) : (
            <>
              <Panel title="Download Settings">
                <Stack gap="sm">
                  <DownloadFields {...fields} />
                  <ReportContent {...fields} />
                  <CronTest {...tests} part="cells" label="Count the rows" />
                </Stack>
              </Panel>
              <Panel title="File Transfer Settings and Email Notification Settings">
                <Part title="File Transfer Settings">
                  <TransferFields {...fields} keepsPassword={kept !== null && kept.transferProtocol !== ''} />
                  {values.transferProtocol !== '' && (
                    <CronTest {...tests} part="transfer" label="Test the connection" mt="sm" />
                  )}
                </Part>
                <Part title="Email Notification Settings">
                  <NotificationFields {...fields} />
                  {values.notification.from !== '' && (
                    <CronTest {...tests} part="email" label="Send a test to me" mt="sm" />
                  )}
                </Part>
              </Panel>
            </>
          )}
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}

// It may list over a thousand fields.
const Settings = memo(ExportSettings)

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details open className={css['panel']}>
      <summary>{title}</summary>
      <div className={css['content']}>{children}</div>
    </details>
  )
}

/** One of two groups of settings in a panel. */
function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className={css['part']}>
      <Title order={3} size="sm">
        {title}
      </Title>
      {children}
    </section>
  )
}

const NameFields = partOf(['name', 'notificationEmails'], function NameFields(props: FieldsProps) {
  const { values, onChange, problems } = props
  return (
    <>
      <TextInput
        label="Name"
        withAsterisk
        maxLength={100}
        data-autofocus
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={problems.get('name')}
      />
      <TextInput
        label="Emails"
        description="Separated by commas."
        withAsterisk
        value={values.notificationEmails}
        onChange={(event) => onChange({ notificationEmails: event.currentTarget.value })}
        error={problems.get('notificationEmails')}
      />
    </>
  )
})

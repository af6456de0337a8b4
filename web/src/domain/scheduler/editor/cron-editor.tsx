import type { Cron } from '@portico/contract/scheduler/crons'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { Alert, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { useCrons, useSaveCron } from '../scheduler-queries.ts'
import css from './cron-editor.module.css'
import { CronPreview } from './cron-preview.tsx'
import { type CronValues, draftOf, newValues, problemsOf, timingOf, valuesOf } from './cron-values.ts'
import { DownloadFields, NotificationFields, TransferFields } from './report-fields.tsx'
import { type FieldsProps, TimingFields } from './timing-fields.tsx'

export type CronEditorProps = {
  consumerCode: ConsumerCode
  /** An existing cron, whose timing stays; null for a new one. */
  kept: Cron | null
  /** The export, or the address of the dashboard, of a new cron. Null: none was given. */
  instruction: Record<string, unknown> | null
  /** The values that a new cron begins with. */
  initial?: Partial<CronValues>
  onSaved: (name: string) => void
  onClose: () => void
}

/** The dialog of a cron: settings, and for reports files, transfer and email (specification 4 §2). */
export function CronEditor(props: CronEditorProps) {
  const { consumerCode, kept, instruction, onClose } = props
  const { values, change, problemOf, now, isDirty, isBusy, problem, submit } = useCronEditing(props)
  if (consumerCode === 'BI' && !kept && instruction === null) {
    return (
      <FormDialog title="Schedule" width={480} guard={{ isDirty: false, isBusy: false }} onClose={onClose}>
        <Alert color="red">{schedulerMessages.noInstruction}</Alert>
      </FormDialog>
    )
  }
  const fields: FieldsProps = { values, onChange: change, problemOf }
  return (
    <FormDialog title={kept ? kept.name : 'Schedule'} width={860} guard={{ isDirty, isBusy }} onClose={onClose}>
      <DialogForm
        onSubmit={() => void submit()}
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
        <Stack gap="sm">
          <Panel title="Cron Settings">
            <Stack gap="sm">
              <NameFields {...fields} />
              <fieldset className={css['timing']} disabled={kept !== null} aria-label="Timing">
                <TimingFields {...fields} />
              </fieldset>
              <CronPreview timing={kept ?? timingOf(values)} offset={values.offset} now={now} />
            </Stack>
          </Panel>
          {consumerCode === 'BI' && (
            <>
              <Panel title="Download Settings">
                <DownloadFields {...fields} />
              </Panel>
              <Panel title="File Transfer Settings">
                <TransferFields {...fields} keepsPassword={kept !== null && kept.transferProtocol !== ''} />
              </Panel>
              <Panel title="Email Notification Settings">
                <NotificationFields {...fields} />
              </Panel>
            </>
          )}
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details open className={css['panel']}>
      <summary>{title}</summary>
      <div className={css['content']}>{children}</div>
    </details>
  )
}

function NameFields({ values, onChange, problemOf }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        withAsterisk
        maxLength={100}
        data-autofocus
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={problemOf('name')}
      />
      <TextInput
        label="Emails"
        description="Separated by commas."
        withAsterisk
        value={values.notificationEmails}
        onChange={(event) => onChange({ notificationEmails: event.currentTarget.value })}
        error={problemOf('notificationEmails')}
      />
    </>
  )
}

/** Problems are shown once a submission was tried, and from then on while typing. */
function useCronEditing({ consumerCode, kept, instruction, initial, onSaved }: CronEditorProps) {
  const [first] = useState(() => (kept ? valuesOf(kept) : { ...newValues(browserZone()), ...initial }))
  const [values, setValues] = useState(first)
  const [now] = useState(() => Date.now())
  const [isTried, setTried] = useState(false)
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const [problem, setProblem] = useState<string | null>(null)
  const crons = useCrons(consumerCode, false)
  const save = useSaveCron()
  const otherNames = (crons.data ?? []).filter(({ _id }) => _id !== kept?._id).map(({ name }) => name)
  const whole = { consumerCode, values, instruction, kept }
  const problems = problemsOf(whole, otherNames, now)

  const submit = async (): Promise<void> => {
    setTried(true)
    setProblem(null)
    if (problems.size > 0) {
      // A problem of the export itself has no field here.
      const [hidden] = [...problems].filter(([field]) => isHidden(field, consumerCode))
      setProblem(hidden ? hidden[1] : null)
      return focusFirstProblem()
    }
    try {
      const saved = await save.mutateAsync({ id: kept?._id ?? null, body: draftOf(whole) })
      onSaved(saved.name)
    } catch (error) {
      const known = isApiError(error) ? error.fieldProblems : []
      setRefused(new Map(known.map(({ field, message }) => [field, message])))
      setProblem(isApiError(error, 'not_allowed') ? schedulerMessages.notAllowed : messageOf(error))
      focusFirstProblem()
    }
  }
  return {
    values,
    now,
    problem,
    submit,
    isDirty: values !== first,
    isBusy: save.isPending,
    change: (part: Partial<CronValues>): void => {
      setRefused(new Map())
      setValues((before) => ({ ...before, ...part }))
    },
    problemOf: (field: string): string | null => refused.get(field) ?? (isTried ? (problems.get(field) ?? null) : null),
  }
}

const isHidden = (field: string, consumerCode: ConsumerCode): boolean =>
  field.startsWith('instruction') && (consumerCode === 'EXPORT' || field === 'instruction')

const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

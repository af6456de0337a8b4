import type { Import } from '@portico/contract/imports'
import { messages } from '@portico/contract/messages'
import { Autocomplete, SimpleGrid, Stack, Switch } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { DialogGuard } from '#ui/dialog/form-dialog.tsx'
import { EventHeader, useEventHeader } from './event-header.tsx'
import {
  type EventForm,
  eventImportSchema,
  type EventImportValues,
  eventMappingProblems,
  guessKey,
  initialEventValues,
  ownKeys,
  stepOfEvents,
  toNewEventImport,
} from './event-import-rules.ts'
import { EventMapping } from './event-mapping.tsx'
import { EventReview } from './event-review.tsx'
import { FileStep } from '../new-import/file-step.tsx'
import { missingColumns } from '../new-import/file-header.ts'
import { useFormSubmission } from '../new-import/form-submission.ts'
import { type ChosenImport, type ImportFile, readingOf, useImportFile } from '../new-import/import-file.ts'
import { ImportFormFrame } from '../new-import/import-form-frame.tsx'
import { BatchSizeSelect, EmailsInput } from '../new-import/import-inputs.tsx'
import { useKnownFields } from '../new-import/known-fields.ts'
import { useTakenNames } from '../new-import/taken-names.ts'
import { StepList } from '../steps/step-list.tsx'
import { StepPanel } from '../steps/step-panel.tsx'
import { useStepFlow } from '../steps/use-step-flow.ts'
import type { Step, Steps } from '../steps/use-steps.ts'

type EventImportFormProps = {
  /** A file that was chosen as one of contacts before; null for none. */
  moved: ChosenImport | null
  steps: Steps
  shown: Import[]
  onGuardChange: (guard: DialogGuard) => void
  onClose: () => void
}

/** Imports a file of events: the file, the contacts they belong to, the targets of its columns, and its settings. */
export function EventImportForm({ moved, steps, shown, onGuardChange, onClose }: EventImportFormProps) {
  const { form, file, refuseName, problems } = useEventImportForm(shown)
  useMoved(moved, form, file)
  const [isChecked, setChecked] = useState(false)
  const reveal = (wrong: string[]): void => flow.reveal(wrong)
  const sending = useFormSubmission({ form, file, refuseName, reveal, onGuardChange, onClose })
  const { submit, upload, sent, isBusy } = sending
  const found = useEventHeader(form, file, sent)
  const { columns, ...header } = found
  const mapping = useMemo(() => (columns ? eventMappingProblems(columns, form.values) : null), [columns, form.values])
  const isMapped = !mapping || (mapping.missing === null && Object.keys(mapping.columns).length === 0)
  const ofMapping = found.isRefused || !isMapped ? ['columnMapping'] : []

  function findProblems(): string[] {
    return [...(file.file ? [] : ['filePath']), ...Object.keys(problems), ...ofMapping]
  }
  function show(wrong: string[]): void {
    for (const field of wrong) if (problems[field]) form.setFieldError(field, problems[field])
    if (wrong.includes('filePath') && !file.file) file.setProblem(messages.required)
    if (wrong.includes('columnMapping')) setChecked(true)
  }
  function open(step: Step): void {
    if (step === 'review' && !flow.isComplete()) return
    steps.show(step)
    // The review shows the first rows, as the portal reads them.
    if ((step === 'match' || step === 'review') && file.file && !found.isSent) void upload(file.file)
  }
  const flow = useStepFlow({ steps, findProblems, stepOf: stepOfEvents, show, open })

  function onSubmit(): void {
    form.clearErrors()
    if (!flow.isComplete() || !file.file) return
    // An unclear header must be resolved first.
    if (file.header?.isUnclear && !found.isSent) return open('match')
    void submit(file.file, { ...toNewEventImport(form.values, file.file.name, columns), ...readingOf(file) })
  }

  const shownProblems = [...Object.keys(form.errors), ...(found.isRefused || isChecked ? ofMapping : [])]
  if (file.problem !== null) shownProblems.push('filePath')
  return (
    <>
      <StepList
        shown={steps}
        isWrong={(step) => shownProblems.some((field) => stepOfEvents(field) === step)}
        isDisabled={isBusy}
        onChoose={open}
      />
      <ImportFormFrame {...{ sending, steps, flow, onSubmit, onClose }} file={file.file}>
        <StepPanel step="file" shown={steps.step}>
          <FileStep
            file={file}
            name={form.getInputProps('name')}
            delimiter={form.getInputProps('fileDelimiter')}
            isBusy={isBusy}
          />
        </StepPanel>
        <StepPanel step="match" shown={steps.step}>
          <Stack gap="md">
            <EventHeader file={file} {...header} isBusy={isBusy} onSend={() => open('match')} />
            <KeyFields form={form} columns={columns} />
            <EventMapping form={form} columns={columns} problems={mapping} isChecked={isChecked} />
          </Stack>
        </StepPanel>
        <StepPanel step="options" shown={steps.step}>
          <EventOptions form={form} />
        </StepPanel>
        <StepPanel step="review" shown={steps.step}>
          <EventReview values={form.values} preview={found.preview ?? null} fileName={file.file?.name ?? ''} />
        </StepPanel>
      </ImportFormFrame>
    </>
  )
}

/** The form, validated while typing, and the file, whose header suggests the key. */
function useEventImportForm(shown: Import[]) {
  const fields = useKnownFields()
  const { taken, refuse } = useTakenNames(shown)
  const validate = useMemo(() => schemaResolver(eventImportSchema(taken, fields), { sync: true }), [taken, fields])
  const form = useForm<EventImportValues>({
    initialValues: initialEventValues,
    validate,
    validateInputOnChange: true,
  })
  const file = useImportFile(form.values.fileDelimiter, (found) => form.setFieldValue('fileDelimiter', found))
  const guess = useMemo(() => (file.header ? guessKey(file.header.columns, fields ?? []) : null), [file.header, fields])
  const { setValues } = form
  useEffect(() => {
    // A selected value stays.
    if (guess)
      setValues((now) => (now.keyColumn || now.keyField ? {} : { keyColumn: guess.column, keyField: guess.field }))
  }, [guess, setValues])
  const refuseName = (): void => {
    refuse(form.values.name)
    form.setFieldError('name', messages.duplicate)
  }
  return { form, file, refuseName, problems: validate(form.values) }
}

/** Takes over a file and its name, once. */
function useMoved(moved: ChosenImport | null, form: EventForm, { choose }: ImportFile): void {
  const taken = useRef<ChosenImport | null>(null)
  useEffect(() => {
    if (moved === null || taken.current === moved) return
    taken.current = moved
    form.setFieldValue('name', moved.name)
    void choose(moved.file)
  }, [moved, form, choose])
}

/** The column and the field by which the contact of an event is found. */
function KeyFields({ form, columns }: { form: EventForm; columns: string[] | null }) {
  const fields = useKnownFields()
  const indexed = (fields ?? []).filter(({ isIndexed }) => isIndexed).map(({ name }) => name)
  const others = (fields ?? []).filter(({ isIndexed }) => !isIndexed).map(({ name }) => name)
  const groups = [
    { group: 'Always there', items: ownKeys },
    { group: 'Indexed fields', items: indexed },
    { group: 'Other fields', items: others },
  ].filter(({ items }) => items.length > 0)
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
      <Autocomplete
        label="Key Column"
        withAsterisk
        description={
          missingColumns([form.values.keyColumn], columns) ?? 'The column that identifies the contact of each event.'
        }
        data={[...new Set(columns ?? [])]}
        limit={50}
        {...form.getInputProps('keyColumn')}
      />
      <Autocomplete
        label="Contact Field"
        withAsterisk
        description="The contact field that has the value of the column, in any letter case."
        data={groups}
        limit={50}
        {...form.getInputProps('keyField')}
      />
    </SimpleGrid>
  )
}

function EventOptions({ form }: { form: EventForm }) {
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <BatchSizeSelect {...form.getInputProps('processBatchSize')} />
      </SimpleGrid>
      <Switch
        label="Cast Types"
        // The hint would otherwise be part of the accessible name.
        aria-label="Cast Types"
        description="Detects numbers and true or false in custom fields. Otherwise they are text."
        {...form.getInputProps('typeCasting', { type: 'checkbox' })}
      />
      <EmailsInput
        about="They receive an email with the figures when the import ends. "
        {...form.getInputProps('notificationEmails')}
      />
    </Stack>
  )
}

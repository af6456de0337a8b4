import type { Import } from '@portico/contract/imports'
import { messages } from '@portico/contract/messages'
import { useMemo, useState } from 'react'
import type { DialogGuard } from '#ui/dialog/form-dialog.tsx'
import { allLeftOutNote, useCarriedColumns } from './carried-columns.ts'
import { suggestColumns } from './column-suggestions.ts'
import { FileStep } from './file-step.tsx'
import { useFilePreview } from './file-preview.ts'
import { useFormSubmission } from './form-submission.ts'
import { type ChosenImport, useImportFile } from './import-file.ts'
import { ImportFormFrame } from './import-form-frame.tsx'
import { importRequest } from './import-request.ts'
import { useKnownFields } from './known-fields.ts'
import { useNewImportForm } from './new-import-form-state.ts'
import { columnNames, locksOf, missingColumnProblems, stepOf, type Tab, tabOf } from './new-import-rules.ts'
import { PreviewTab } from './preview-tab.tsx'
import { useRememberedChoices } from './remembered-choices.ts'
import type { StartingPoint } from '../imports-queries.ts'
import { OptionsTabs } from '../options/options-tabs.tsx'
import { useOpenedReview } from '../review/opened-review.ts'
import { ReviewStep } from '../review/review-step.tsx'
import { Shown } from '../review/shown.tsx'
import { StepList } from '../steps/step-list.tsx'
import { StepPanel } from '../steps/step-panel.tsx'
import { useStepFlow } from '../steps/use-step-flow.ts'
import type { Step, Steps } from '../steps/use-steps.ts'

type NewImportFormProps = {
  start: StartingPoint
  steps: Steps
  shown: Import[]
  onGuardChange: (guard: DialogGuard) => void
  /** Imports the file as events instead. */
  onEvents: (chosen: ChosenImport) => void
  onClose: () => void
}

/** Imports a file of contacts: the file, the fields that its columns feed, the settings, and a review of the changes. */
export function NewImportForm({ start, steps, shown, onGuardChange, onEvents, onClose }: NewImportFormProps) {
  const { form, begun, refuseName, problems } = useNewImportForm(start, shown)
  const file = useImportFile(form.values.fileDelimiter, (found) => form.setFieldValue('fileDelimiter', found))
  const [tab, setTab] = useState<Tab>('main')
  const fields = useKnownFields()
  const locks = locksOf(start.binding, form.values)
  const { opened, onReviewing, endReview } = useOpenedReview(() => steps.show('review'))

  const reveal = (wrong: string[]): void => flow.reveal(wrong)
  const sending = useFormSubmission({ form, file, refuseName, reveal, onReviewing, onGuardChange, onClose })
  const { sent, upload, submit, review, isBusy } = sending
  const found = useFilePreview(form, file, sent)
  useRememberedChoices(form, file, sent.count, found.preview.data)
  const { columns, ...previewed } = found
  const { columnMapping } = form.values
  const known = useMemo(() => columns && columnNames(columns, columnMapping), [columns, columnMapping])
  const leftOut = useCarriedColumns(form, begun, known, locks)
  const missing = missingColumnProblems(form.values, known, locks)
  const suggestions = useMemo(() => suggestColumns(columns, fields ?? []), [columns, fields])

  function findProblems(): string[] {
    const ofFile = file.file ? [] : ['filePath']
    return [...ofFile, ...Object.keys({ ...problems, ...missing }), ...(found.isWrong ? ['columnMapping'] : [])]
  }
  function show(wrong: string[]): void {
    endReview()
    for (const field of wrong) if (problems[field]) form.setFieldError(field, problems[field])
    if (wrong.includes('filePath') && !file.file) file.setProblem(messages.required)
    const tabs = wrong.filter((field) => stepOf(field) === 'options').map(tabOf)
    if (tabs[0] && !tabs.includes(tab)) setTab(tabs[0])
  }
  function open(step: Step): void {
    if (step === 'review') return send(review)
    endReview()
    steps.show(step)
    if (step === 'match' && file.file && !found.isSent) void upload(file.file)
  }
  const flow = useStepFlow({ steps, findProblems, stepOf, show, open })

  /** Sends the file and its settings once they are valid. */
  function send(deliver: typeof review): void {
    form.clearErrors()
    if (!flow.isComplete() || !file.file) return
    // An unclear header is resolved in that step.
    if (file.header?.isUnclear && !found.isSent) return open('match')
    const columns = found.preview.data?.columns ?? []
    void deliver(file.file, importRequest(form.values, file.file.name, { file, locks, columns, fields }))
  }

  // Fields that were not touched yet are not marked.
  const shownProblems = [...Object.keys({ ...form.errors, ...missing }), ...(found.isWrong ? ['columnMapping'] : [])]
  if (file.problem !== null) shownProblems.push('filePath')
  return (
    <>
      <StepList
        shown={steps}
        isWrong={(step) => shownProblems.some((field) => stepOf(field) === step)}
        isDisabled={isBusy}
        onChoose={open}
      />
      <Shown when={steps.step !== 'review'}>
        <ImportFormFrame
          sending={sending}
          file={file.file}
          steps={steps}
          flow={flow}
          onSubmit={() => send(submit)}
          onClose={onClose}
        >
          <StepPanel step="file" shown={steps.step}>
            <FileStep
              file={file}
              name={form.getInputProps('name')}
              delimiter={form.getInputProps('fileDelimiter')}
              note={allLeftOutNote(leftOut)}
              isBusy={isBusy}
            />
          </StepPanel>
          <StepPanel step="match" shown={steps.step}>
            <PreviewTab
              {...{ form, file, isBusy, ...previewed }}
              onSend={() => open('match')}
              onEvents={() => file.file && onEvents({ file: file.file, name: form.values.name })}
            />
          </StepPanel>
          <StepPanel step="options" shown={steps.step}>
            <OptionsTabs
              {...{ form, locks, missing, leftOut, suggestions, tab }}
              onTabChange={setTab}
              isWrong={(one) => shownProblems.some((field) => stepOf(field) === 'options' && tabOf(field) === one)}
            />
          </StepPanel>
        </ImportFormFrame>
      </Shown>
      {opened && steps.step === 'review' && (
        <ReviewStep
          key={opened.started._id}
          opened={opened}
          sending={sending}
          onBack={() => open('options')}
          onClose={onClose}
        />
      )}
    </>
  )
}

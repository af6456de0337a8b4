import type { Import } from '@portico/contract/imports'
import { messages } from '@portico/contract/messages'
import { Tabs } from '@mantine/core'
import { useMemo, useState } from 'react'
import { type DialogGuard, focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { ColumnTab } from './column-tab.tsx'
import { suggestColumns } from './column-suggestions.ts'
import { useFormSubmission } from './form-submission.ts'
import { ImportFormFrame } from './import-form-frame.tsx'
import { importRequest } from './import-request.ts'
import type { StartingPoint } from '../imports-queries.ts'
import { useKnownFields } from './known-fields.ts'
import { ImportTabList, openTabOf } from './import-tab-list.tsx'
import { MainInfoTab } from './main-info-tab.tsx'
import { NotificationTab } from './notification-tab.tsx'
import { useNewImportForm } from './new-import-form-state.ts'
import { locksOf, missingColumnProblems, type Tab, tabOf } from './new-import-rules.ts'
import { useImportFile } from './import-file.ts'
import { useRememberedChoices } from './remembered-choices.ts'
import { PreviewTab } from './preview-tab.tsx'
import { useOpenedReview } from '../review/opened-review.ts'
import { ReviewStep } from '../review/review-step.tsx'
import { Shown } from '../review/shown.tsx'
import { useFilePreview } from './file-preview.ts'

type NewImportFormProps = {
  start: StartingPoint
  shown: Import[]
  onGuardChange: (guard: DialogGuard) => void
  onClose: () => void
}

export function NewImportForm({ start, shown, onGuardChange, onClose }: NewImportFormProps) {
  const { form, refuseName, invalidFields } = useNewImportForm(start, shown)
  const file = useImportFile(form.values.fileDelimiter)
  const [tab, setTab] = useState<Tab>('main')
  const fields = useKnownFields()
  const locks = locksOf(start.binding, form.values)

  const { opened, button, onReviewing, endReview, goBack } = useOpenedReview()

  const sending = useFormSubmission({ form, file, refuseName, reveal, onReviewing, onGuardChange, onClose })
  const { sent, upload, submit, review, isBusy } = sending
  const found = useFilePreview(form, file, sent)
  useRememberedChoices(form, sent.count, found.preview.data)
  const { columns, ...previewed } = found
  const missing = missingColumnProblems(form.values, columns)
  const suggestions = useMemo(() => suggestColumns(columns, fields ?? []), [columns, fields])

  /** Shows the tab of the first problem, unless the current tab has problems too. */
  function reveal(problems: string[]): void {
    endReview()
    const [first, ...others] = problems.map(tabOf)
    if (first && ![first, ...others].includes(tab)) setTab(first)
    focusFirstProblem()
  }

  /** Sends the file and its settings once they are valid. */
  function send(deliver: typeof review): void {
    const { hasErrors, errors } = form.validate() as { hasErrors: boolean; errors: Record<string, unknown> }
    if (!file.file) file.setProblem(messages.required)
    const isMissing = Object.keys(missing)
    if (hasErrors || !file.file || found.isWrong || isMissing.length > 0) {
      const fileProblems = file.file ? [] : ['filePath']
      const mappingProblems = found.isWrong ? ['columnMapping'] : []
      return reveal([...fileProblems, ...Object.keys(errors), ...isMissing, ...mappingProblems])
    }
    // An unclear header is resolved on that tab.
    if (file.header?.isUnclear && !found.isSent) return choose('preview')
    const columns = found.preview.data?.columns ?? []
    void deliver(file.file, importRequest(form.values, file.file.name, { file, locks, columns, fields }))
  }

  function choose(next: Tab | undefined): void {
    if (!next) return
    setTab(next)
    if (next === 'preview' && file.file && !found.isSent) void upload(file.file)
  }

  const wrongTabs = new Set([...invalidFields, ...Object.keys(missing)].map(tabOf))
  if (file.problem || !file.file) wrongTabs.add('main')
  if (found.isWrong) wrongTabs.add('preview')
  const shownTab = form.values.generatePURL || (tab !== 'purl' && tab !== 'dedup') ? tab : 'main'
  return (
    <>
      <Shown when={opened === null}>
        <ImportFormFrame
          sending={sending}
          file={file.file}
          onImport={() => send(submit)}
          review={{ onStart: () => send(review), button }}
          onClose={onClose}
        >
          <Tabs value={shownTab} onChange={(value) => choose(openTabOf(value))}>
            <ImportTabList
              shown={shownTab}
              generatesPurl={form.values.generatePURL}
              isWrong={(one) => wrongTabs.has(one)}
            />
            <Tabs.Panel value="main">
              <MainInfoTab {...{ form, locks, file, missing, suggestions, isBusy }} />
            </Tabs.Panel>
            <Tabs.Panel value="preview">
              <PreviewTab form={form} {...previewed} file={file} isBusy={isBusy} onSend={() => choose('preview')} />
            </Tabs.Panel>
            {form.values.generatePURL && (
              <>
                <Tabs.Panel value="purl">
                  <ColumnTab kind="purl" form={form} isLocked={locks.purlColumns} {...{ suggestions, missing }} />
                </Tabs.Panel>
                <Tabs.Panel value="dedup">
                  <ColumnTab kind="dedup" form={form} isLocked={locks.dedupColumns} {...{ suggestions, missing }} />
                </Tabs.Panel>
              </>
            )}
            <Tabs.Panel value="emails">
              <NotificationTab form={form} />
            </Tabs.Panel>
          </Tabs>
        </ImportFormFrame>
      </Shown>
      {opened && <ReviewStep key={opened.started._id} opened={opened} sending={sending} onBack={goBack} />}
    </>
  )
}

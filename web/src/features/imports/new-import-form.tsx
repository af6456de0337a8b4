import type { Import } from '@portico/contract/imports'
import { Tabs } from '@mantine/core'
import { useLayoutEffect, useMemo, useState } from 'react'
import { useFields } from '#lib/fields.ts'
import { DialogForm, type DialogGuard, focusFirstProblem } from '#ui/form-dialog.tsx'
import { notifyDone } from '#ui/notify.ts'
import { ColumnTab } from './column-tab.tsx'
import { mappingOf } from './column-mapping.ts'
import { suggestColumns } from './column-suggestions.ts'
import { ImportFooter } from './import-footer.tsx'
import type { StartingPoint } from './imports-queries.ts'
import { ImportTabList } from './import-tab-list.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { MainInfoTab } from './main-info-tab.tsx'
import { NotificationTab } from './notification-tab.tsx'
import { type NewImportForm as Form, useNewImportForm } from './new-import-form-state.ts'
import { locksOf, type Tab, tabOf, toNewImport } from './new-import-rules.ts'
import { useImportFile } from './import-file.ts'
import { PreviewTab } from './preview-tab.tsx'
import { useFilePreview } from './file-preview.ts'
import { useImportSubmission } from './submit-import.ts'

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
  const fields = useFields()
  const locks = locksOf(start.latest, form.values)

  const { submission, sent, upload, submit, cancelUpload } = useImportSubmission({
    onSaved: ({ name }) => {
      notifyDone(`'${name}' was saved.`)
      onClose()
    },
    onProblems: (problems) => {
      for (const { field, message } of problems) {
        if (field === 'filePath') file.setProblem(message)
        else if (field === 'name' && message === 'Value is duplicate!') refuseName()
        else form.setFieldError(rootOf(field), message)
      }
      reveal(problems.map(({ field }) => field))
    },
  })
  const found = useFilePreview(form, file, sent)
  // What is packed only the portal can look into.
  const columns = file.header?.columns ?? found.preview.data?.columns.map(({ name }) => name) ?? null
  const suggestions = useMemo(() => suggestColumns(columns, fields.data ?? []), [columns, fields.data])
  const isBusy = submission.step === 'uploading' || submission.step === 'saving'
  useGuard({ isDirty: form.isDirty() || file.file !== null, isBusy }, onGuardChange)

  /** Shows the tab of the first problem, unless the shown one has problems too. */
  function reveal(problems: string[]): void {
    const [first, ...others] = problems.map(tabOf)
    if (first && ![first, ...others].includes(tab)) setTab(first)
    focusFirstProblem()
  }

  function onSubmit(): void {
    const { hasErrors, errors } = form.validate() as { hasErrors: boolean; errors: Record<string, unknown> }
    if (!file.file) file.setProblem('Value is required!')
    if (hasErrors || !file.file || found.isWrong) {
      const fileProblems = file.file ? [] : ['filePath']
      return reveal([...fileProblems, ...Object.keys(errors), ...(found.isWrong ? ['columnMapping'] : [])])
    }
    const mapping = mappingOf(form.values.columnMapping, found.preview.data?.columns ?? [])
    void submit(file.file, toNewImport(form.values, file.file.name, locks, mapping))
  }

  function show(next: Tab): void {
    setTab(next)
    if (next === 'preview' && file.file && !found.isSent) void upload(file.file)
  }

  const wrongTabs = new Set(invalidFields.map(tabOf))
  if (file.problem) wrongTabs.add('main')
  if (found.isWrong) wrongTabs.add('preview')
  const isWrong = (one: Tab): boolean => wrongTabs.has(one) && (one !== tab || hasShownErrors(form, one))
  return (
    <DialogForm
      onSubmit={onSubmit}
      footer={
        <ImportFooter
          submission={submission}
          file={file.file}
          onCancel={onClose}
          onCancelUpload={cancelUpload}
          isBusy={isBusy}
        />
      }
    >
      <LeaveGuard isActive={isBusy} />
      <fieldset disabled={isBusy} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        {/* The values are those of the tabs below. */}
        <Tabs
          value={form.values.generatePURL || (tab !== 'purl' && tab !== 'dedup') ? tab : 'main'}
          onChange={(value) => show(value as Tab)}
        >
          <ImportTabList generatesPurl={form.values.generatePURL} isWrong={isWrong} />
          <Tabs.Panel value="main">
            <MainInfoTab form={form} locks={locks} file={file} suggestions={suggestions} isBusy={isBusy} />
          </Tabs.Panel>
          <Tabs.Panel value="preview">
            <PreviewTab
              form={form}
              {...found}
              hasFile={file.file !== null}
              header={file.header}
              isBusy={isBusy}
              onSend={() => show('preview')}
            />
          </Tabs.Panel>
          {form.values.generatePURL && (
            <>
              <Tabs.Panel value="purl">
                <ColumnTab kind="purl" form={form} isLocked={locks.purlColumns} {...{ suggestions, columns }} />
              </Tabs.Panel>
              <Tabs.Panel value="dedup">
                <ColumnTab kind="dedup" form={form} isLocked={locks.dedupColumns} {...{ suggestions, columns }} />
              </Tabs.Panel>
            </>
          )}
          <Tabs.Panel value="emails">
            <NotificationTab form={form} />
          </Tabs.Panel>
        </Tabs>
      </fieldset>
    </DialogForm>
  )
}

/** At once: the very next key may be Escape. */
function useGuard({ isDirty, isBusy }: DialogGuard, onChange: (guard: DialogGuard) => void): void {
  useLayoutEffect(() => onChange({ isDirty, isBusy }), [isDirty, isBusy, onChange])
}

/** The server names an entry of a list as `purlColumns.0`. */
const rootOf = (field: string): string => field.split('.')[0] ?? field

const hasShownErrors = (form: Form, tab: Tab): boolean => Object.keys(form.errors).some((field) => tabOf(field) === tab)

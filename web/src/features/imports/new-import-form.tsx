import type { Import } from '@portico/contract/imports'
import { Tabs } from '@mantine/core'
import { useLayoutEffect, useMemo, useState } from 'react'
import IconFingerprint from '#icons/IconFingerprint'
import IconInfoCircle from '#icons/IconInfoCircle'
import IconLink from '#icons/IconLink'
import { useFields } from '#lib/fields.ts'
import { DialogForm, type DialogGuard, focusFirstProblem } from '#ui/form-dialog.tsx'
import { notifyDone } from '#ui/notify.ts'
import { TabLabel } from '#ui/tab-label.tsx'
import { ColumnTab } from './column-tab.tsx'
import { suggestColumns } from './column-suggestions.ts'
import { ImportFooter } from './import-footer.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { MainInfoTab } from './main-info-tab.tsx'
import { type NewImportForm as Form, useNewImportForm } from './new-import-form-state.ts'
import { locksOf, type Tab, tabOf, toNewImport } from './new-import-rules.ts'
import { useImportFile } from './import-file.ts'
import { useImportSubmission } from './submit-import.ts'

type NewImportFormProps = {
  latest: Import | null
  shown: Import[]
  onGuardChange: (guard: DialogGuard) => void
  onClose: () => void
}

export function NewImportForm({ latest, shown, onGuardChange, onClose }: NewImportFormProps) {
  const { form, refuseName, invalidFields } = useNewImportForm(latest, shown)
  const file = useImportFile(form.values.fileDelimiter)
  const [tab, setTab] = useState<Tab>('main')
  const fields = useFields()
  const columns = file.header?.columns ?? null
  const suggestions = useMemo(() => suggestColumns(columns, fields.data ?? []), [columns, fields.data])
  const locks = locksOf(latest, form.values)

  const { submission, submit, cancelUpload } = useImportSubmission({
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
  const isBusy = submission.step === 'uploading' || submission.step === 'saving'
  const isDirty = form.isDirty() || file.file !== null
  // At once: the very next key may be Escape.
  useLayoutEffect(() => onGuardChange({ isDirty, isBusy }), [isDirty, isBusy, onGuardChange])

  /** Shows the tab of the first problem, unless the shown one has problems too. */
  function reveal(problems: string[]): void {
    const [first, ...others] = problems.map(tabOf)
    if (first && ![first, ...others].includes(tab)) setTab(first)
    focusFirstProblem()
  }

  function onSubmit(): void {
    const { hasErrors, errors } = form.validate() as { hasErrors: boolean; errors: Record<string, unknown> }
    if (!file.file) file.setProblem('Value is required!')
    if (hasErrors || !file.file) return reveal([...(file.file ? [] : ['filePath']), ...Object.keys(errors)])
    void submit(file.file, toNewImport(form.values, file.file.name, locks))
  }

  const wrongTabs = new Set(invalidFields.map(tabOf))
  if (file.problem) wrongTabs.add('main')
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
        <Tabs value={form.values.generatePURL ? tab : 'main'} onChange={(value) => setTab(value as Tab)}>
          <Tabs.List mb="md">
            <Tabs.Tab value="main" leftSection={<IconInfoCircle size={15} aria-hidden />}>
              <TabLabel isWrong={isWrong('main')}>Main Info</TabLabel>
            </Tabs.Tab>
            {form.values.generatePURL && (
              <>
                <Tabs.Tab value="purl" leftSection={<IconLink size={15} aria-hidden />}>
                  <TabLabel isWrong={isWrong('purl')}>PURL Columns</TabLabel>
                </Tabs.Tab>
                <Tabs.Tab value="dedup" leftSection={<IconFingerprint size={15} aria-hidden />}>
                  <TabLabel isWrong={isWrong('dedup')}>Dedup Columns</TabLabel>
                </Tabs.Tab>
              </>
            )}
          </Tabs.List>
          <Tabs.Panel value="main">
            <MainInfoTab form={form} locks={locks} file={file} suggestions={suggestions} isBusy={isBusy} />
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
        </Tabs>
      </fieldset>
    </DialogForm>
  )
}

/** The server names an entry of a list as `purlColumns.0`. */
const rootOf = (field: string): string => field.split('.')[0] ?? field

const hasShownErrors = (form: Form, tab: Tab): boolean => Object.keys(form.errors).some((field) => tabOf(field) === tab)

import type { ImportDefaults, StoredImportDefaults } from '@portico/contract/imports'
import { Alert, Button, SimpleGrid } from '@mantine/core'
import { type FormEvent, useMemo, useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { SavedMeanwhile, useEditing } from '#domain/editing'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { useFields } from '#domain/fields'
import { unsavedQuestion, useLeaving } from '#ui/form/unsaved.ts'
import { DynamicList } from '#ui/form/dynamic-list.tsx'
import { LeaveDialog } from '#ui/dialog/leave-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { getImportDefaults, useSaveImportDefaults } from './configuration-queries.ts'
import { lists, problemsOf, trimmed, valuesOf } from './configuration-rules.ts'

const labels = Object.fromEntries(lists.map(({ name, title }) => [name, title]))

export function ConfigurationForm({ saved: loaded }: { saved: StoredImportDefaults }) {
  const [saved, setSaved] = useState(() => valuesOf(loaded))
  const [values, setValues] = useState(saved)
  const [problem, setProblem] = useState<string | null>(null)
  const fields = useFields()
  const rebase = (base: ImportDefaults, next: ImportDefaults): void => {
    setSaved(base)
    setValues(next)
  }
  const editing = useEditing({ item: loaded, read: getImportDefaults, valuesOf, form: { values, rebase } })
  const save = useSaveImportDefaults(editing.save)
  const names = useMemo(() => (fields.data ?? []).map(({ name }) => name), [fields.data])
  const problems = useMemo(() => problemsOf(trimmed(values)), [values])
  const isDirty = JSON.stringify(values) !== JSON.stringify(saved)
  const isValid = Object.values(problems).every((list) => list.every((one) => one === undefined))

  function submit(): void {
    if (!isDirty || !isValid) return
    setProblem(null)
    save.mutate(trimmed(values), {
      onSuccess: (now) => {
        rebase(valuesOf(now), valuesOf(now))
        editing.restart(now)
        notifyDone('The configuration was updated.')
      },
      onError: (error) => setProblem(isApiError(error, 'newer_version') ? null : messageOf(error)),
    })
  }
  function onSubmit(event: FormEvent): void {
    event.preventDefault()
    submit()
  }

  return (
    <form noValidate onSubmit={onSubmit}>
      <LeaveDialog
        leaving={useLeaving(isDirty && !save.isPending)}
        title="Unsaved changes"
        question={unsavedQuestion}
      />
      <PageHeader
        title="List Service Configuration"
        description="What the form of the account's first import starts with. Later imports start with what the one before had."
        actions={
          <Button type="submit" disabled={!isDirty || !isValid} loading={save.isPending}>
            Save
          </Button>
        }
      />
      <SavedMeanwhile {...{ editing, labels }} isBusy={save.isPending} onOverwrite={submit} />
      {problem !== null && (
        <Alert color="red" mb="sm" icon={<IconAlertTriangle size={18} />} role="alert">
          {problem}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
        {lists.map(({ name, title, noun, max, about }) => (
          <Panel key={name} title={title} description={about}>
            <DynamicList
              noun={noun}
              values={values[name]}
              onChange={(list) => setValues({ ...values, [name]: list })}
              problems={problems[name]}
              max={max}
              {...(name !== 'notificationEmails' && { suggestions: names })}
            />
          </Panel>
        ))}
      </SimpleGrid>
    </form>
  )
}

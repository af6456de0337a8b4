import type { ImportDefaults, StoredImportDefaults } from '@portico/contract/imports'
import { Alert, Button, SimpleGrid } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMemo } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { editedForm, SavedMeanwhile, useEditing } from '#domain/editing'
import { useSubmit } from '#lib/submit.ts'
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

export function ConfigurationForm({ saved }: { saved: StoredImportDefaults }) {
  const form = useForm<ImportDefaults>({ initialValues: valuesOf(saved) })
  const { values } = form
  const fields = useFields()
  const editing = useEditing({ item: saved, read: getImportDefaults, valuesOf, form: editedForm(form) })
  const { submit, problem, isBusy } = useSubmit(form, useSaveImportDefaults(editing.save), {
    // The entries show the problems that the browser finds.
    findField: () => null,
    done: (now) => {
      editedForm(form).rebase(valuesOf(now), valuesOf(now))
      editing.restart(now)
      notifyDone('The configuration was updated.')
    },
  })
  const names = useMemo(() => (fields.data ?? []).map(({ name }) => name), [fields.data])
  const problems = useMemo(() => problemsOf(trimmed(values)), [values])
  const isDirty = form.isDirty()
  const isValid = Object.values(problems).every((list) => list.every((one) => one === undefined))
  const onSubmit = form.onSubmit(() => {
    if (isDirty && isValid) submit(trimmed(values))
  })

  return (
    <form noValidate onSubmit={onSubmit}>
      <LeaveDialog leaving={useLeaving(isDirty && !isBusy)} title="Unsaved changes" question={unsavedQuestion} />
      <PageHeader
        title="List Service Configuration"
        description="What the form of the account's first import starts with. Later imports start with what the one before had."
        actions={
          <Button type="submit" disabled={!isDirty || !isValid} loading={isBusy}>
            Save
          </Button>
        }
      />
      <SavedMeanwhile {...{ editing, labels, isBusy }} onOverwrite={() => onSubmit()} />
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
              onChange={(list) => form.setFieldValue(name, list)}
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

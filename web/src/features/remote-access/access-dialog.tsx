import { type RemoteAccess, remoteAccessApi } from '@portico/contract/remote-access'
import { Tabs } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { editedForm, OpenedItem, SavedMeanwhile, useEditing } from '#domain/editing'
import { useMayCall } from '#lib/session/may-call.ts'
import { useSubmit } from '#lib/submit.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { TabLabel } from '#ui/page/tab-label.tsx'
import { AccessFields } from './access-fields.tsx'
import { type AccessValues, chosenColumns, initialValues, partOf, problemsOf, toAccess } from './access-form.ts'
import { createAccess, getAccess, updateAccess, useRating, useSaveAccess } from './remote-access-queries.ts'
import { SaveQuestion, questionOf } from './save-question.tsx'
import { Tester } from './tester.tsx'

type AccessDialogProps = {
  /** The access to edit; null creates one. */
  access: RemoteAccess | null
  onClose: () => void
}

type Tab = 'settings' | 'trial'

const width = 680

/** Creates or edits a remote access. Settings that expose much are confirmed before they are saved. */
export function AccessDialog({ access, onClose }: AccessDialogProps) {
  if (!access) return <AccessForm access={null} onClose={onClose} />
  return (
    <OpenedItem title="Edit Access" width={width} read={() => getAccess(access._id)} onClose={onClose}>
      {(fresh) => <AccessForm access={fresh} onClose={onClose} />}
    </OpenedItem>
  )
}

const labels = {
  type: 'Type',
  domainOrIp: 'Domain or IP Address',
  includeSubDomains: 'Include Subdomains',
  column: 'Column to Authenticate with',
  column2: 'Second Column',
  filter: 'Columns to Authenticate with',
  publicColumns: 'Public Columns',
  expiresOn: 'Expires on',
  expiresAt: 'Expires on',
  isPaused: 'Paused',
}

function AccessForm({ access, onClose }: AccessDialogProps) {
  const [tab, setTab] = useState<Tab>('settings')
  const { form, editing, problem, submit, isBusy } = useAccessForm(access, onClose)
  const [isAsking, setAsking] = useState(false)
  const canTry = useMayCall(remoteAccessApi.tryRemoteAccess)
  const rating = useRating(chosenColumns(form.values))
  const question = questionOf(form.values, access, rating.data?.level)
  const onInvalid = (): void => {
    setTab('settings')
    focusFirstProblem()
  }
  const send = (values: AccessValues): void => {
    setAsking(false)
    setTab('settings')
    submit(values)
  }
  const fields = <AccessFields form={form} rating={rating} isEdited={access !== null} />
  return (
    <>
      <FormDialog
        title={access ? 'Edit Access' : 'Create a New Access'}
        width={width}
        // Escape closes only the topmost dialog.
        guard={{ isDirty: form.isDirty() || isAsking, isBusy }}
        onClose={onClose}
      >
        <DialogForm
          onSubmit={form.onSubmit((values) => (question ? setAsking(true) : send(values)), onInvalid)}
          footer={
            <>
              <FormProblem>{problem}</FormProblem>
              <DialogButtons onCancel={onClose} isBusy={isBusy}>
                Save
              </DialogButtons>
            </>
          }
        >
          <SavedMeanwhile
            {...{ editing, labels, isBusy }}
            onOverwrite={() => (question ? setAsking(true) : send(form.values))}
          />
          {canTry ? (
            <Tabs value={tab} onChange={(next) => setTab(next === 'trial' ? 'trial' : 'settings')}>
              <Tabs.List mb="md">
                <Tabs.Tab value="settings">
                  <TabLabel isWrong={Object.keys(form.errors).length > 0}>Settings</TabLabel>
                </Tabs.Tab>
                <Tabs.Tab value="trial">Try it</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="settings">{fields}</Tabs.Panel>
              <Tabs.Panel value="trial">
                <DraftTester values={form.values} access={access} />
              </Tabs.Panel>
            </Tabs>
          ) : (
            fields
          )}
        </DialogForm>
      </FormDialog>
      {isAsking && question && (
        <SaveQuestion
          question={question}
          domainOrIp={form.values.domainOrIp}
          onConfirm={() => send(form.values)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** Tries the form's current settings. */
function DraftTester({ values, access }: { values: AccessValues; access: RemoteAccess | null }) {
  const isComplete = Object.keys(problemsOf(values, access)).length === 0
  return (
    <Tester
      // Other columns need other fields.
      key={chosenColumns(values).join('\0')}
      type={values.type}
      domainOrIp={values.domainOrIp}
      columns={chosenColumns(values)}
      id={access?._id ?? null}
      draft={isComplete ? toAccess(values, access) : null}
      reason={isComplete ? null : 'Complete the settings first.'}
    />
  )
}

/** The form, its save, and the problem that no field shows. */
function useAccessForm(access: RemoteAccess | null, onClose: () => void) {
  const form = useForm<AccessValues>({
    initialValues: initialValues(access),
    validate: (values) => problemsOf(values, access),
    validateInputOnChange: true,
  })
  const editing = useEditing({
    item: access,
    read: ({ _id }: RemoteAccess) => getAccess(_id),
    valuesOf: initialValues,
    form: editedForm(form),
  })
  const save = useSaveAccess((values: AccessValues) =>
    editing.save((over) =>
      over
        ? updateAccess(over._id, { ...toAccess(values, over), version: over.version })
        : createAccess(toAccess(values, null)),
    ),
  )
  const sending = useSubmit(form, save, {
    findField: partOf,
    done: () => {
      notifyDone(`The new remote access for the domain was ${access ? 'updated' : 'created'}.`)
      onClose()
    },
    refused: focusFirstProblem,
  })
  return { ...sending, form, editing }
}

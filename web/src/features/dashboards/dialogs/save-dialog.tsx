import { type Dashboard, dashboardTags } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import { schemaResolver, useForm } from '@mantine/form'
import { MultiSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { useUser } from '#lib/session/session.ts'
import { useSubmit } from '#lib/submit.ts'
import { CountedInput } from '#ui/form/counted-input.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useSaveDashboard } from '../dashboard-mutations.ts'
import { useAccountData } from '../adding/use-account-data.ts'
import { StartChoice } from '../starting/start-choice.tsx'
import { definitionOf, type StartName, starts } from '../starting/templates.ts'
import { bodyOf, saveSchema, saveValues, type SaveValues, type Sharer } from './save-form.ts'
import { SharingFields } from './sharing-fields.tsx'
import { type Conflict, conflictOf, ConflictNote } from './conflict-note.tsx'

/** New: empty or from a template. Clone: a copy under another name. Update: the open dashboard with its changes. */
export type SaveMode = 'new' | 'clone' | 'update'

type SaveDialogProps = {
  mode: SaveMode
  /** The open dashboard; null for a new one. */
  dashboard: Dashboard | null
  /** As shown on screen, including changes. */
  definition: Definition
  onSaved: (saved: Dashboard) => void
  onClose: () => void
}

const titles: Record<SaveMode, string> = {
  new: 'New Dashboard',
  clone: 'Clone Dashboard',
  update: 'Update Dashboard',
}
const submitLabels: Record<SaveMode, string> = { new: 'Create', clone: 'Clone', update: 'Save' }

/** Saves a dashboard: its name, its tags and the people it is shared with. If saving fails, the dialog stays open. */
export function SaveDialog({ mode, dashboard, definition, onSaved, onClose }: SaveDialogProps) {
  const sharer = useSharer()
  const form = useForm<SaveValues>({
    initialValues: initialValues(mode, dashboard, sharer),
    validate: schemaResolver(saveSchema(mode === 'clone' ? (dashboard?.name ?? null) : null), { sync: true }),
  })
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [start, setStart] = useState<StartName>('empty')
  const { data, isPending } = useAccountData(mode === 'new')

  const { submit, problem, isBusy } = useSubmit(form, useSaveDashboard(), {
    done: (saved) => {
      notifyDone(`'${saved.name}' was successfully ${saved._id === dashboard?._id ? 'saved' : 'created'}.`)
      onSaved(saved)
      onClose()
    },
    refused: (_, failure) => setConflict(conflictOf(failure)),
  })
  const onSubmit = (how: { asCopy?: boolean; over?: number } = {}): void => {
    const { hasErrors } = form.validate() as { hasErrors: boolean }
    if (hasErrors) return focusFirstProblem()
    const text = JSON.stringify(mode === 'new' ? definitionOf(start, data) : definition)
    const body = bodyOf(form.values, sharer, text)
    if (how.asCopy) submit({ body: { ...body, name: copyName(body.name) }, over: null })
    else if (mode !== 'update' || !dashboard) submit({ body, over: null })
    else submit({ body, over: { id: dashboard._id, version: how.over ?? dashboard.version } })
  }

  /** A name and tags that were typed stay. */
  const chooseStart = (next: StartName): void => {
    const { name, tags } = form.values
    const [before, after] = [starts[start], starts[next]]
    if (name === '' || name === before.title) form.setFieldValue('name', next === 'empty' ? '' : after.title)
    if (tags.length === 0 || tags.join() === before.tags.join()) form.setFieldValue('tags', [...after.tags])
    setStart(next)
  }

  return (
    <FormDialog
      title={titles[mode]}
      width={mode === 'new' ? 680 : 520}
      guard={{ isDirty: form.isDirty() && !isBusy, isBusy }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={() => onSubmit()}
        footer={
          <>
            <FormProblem>{conflict ? null : problem}</FormProblem>
            <DialogButtons onCancel={onClose} isBusy={isBusy}>
              {submitLabels[mode]}
            </DialogButtons>
          </>
        }
      >
        <Stack gap="sm">
          {conflict && (
            <ConflictNote
              conflict={conflict}
              isBusy={isBusy}
              onCopy={() => onSubmit({ asCopy: true })}
              // The version that is shown, and no later one.
              onOverwrite={() => onSubmit(conflict.kind === 'newer' ? { over: conflict.version } : {})}
            />
          )}
          {mode === 'new' && <StartChoice data={data} isPending={isPending} value={start} onChange={chooseStart} />}
          <CountedInput label="Name" withAsterisk max={100} data-autofocus {...form.getInputProps('name')} />
          <MultiSelect
            label="Tags"
            withAsterisk
            data={[...dashboardTags]}
            placeholder={form.values.tags.length === 0 ? 'Choose at least one' : ''}
            {...form.getInputProps('tags')}
          />
          <SharingFields form={form} />
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}

function useSharer(): Sharer {
  const { account, parent, email } = useUser()
  const sharesByParent = useMayAdministerAll()
  if (account === null) throw new Error('a dashboard is saved in an account')
  return { account, parent: parent ?? account, email, sharesByParent }
}

const copyName = (name: string): string => `Copy of ${name}`.slice(0, 100)

function initialValues(mode: SaveMode, dashboard: Dashboard | null, sharer: Sharer): SaveValues {
  const values = saveValues(mode === 'new' ? null : dashboard, sharer)
  return mode === 'clone' ? { ...values, name: copyName(values.name) } : values
}

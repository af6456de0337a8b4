import type { Dashboard } from '@portico/contract/dashboards'
import { Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useDeleteDashboard } from '../dashboard-mutations.ts'

type DeleteDashboardDialogProps = { dashboard: Dashboard; onDeleted: () => void; onClose: () => void }

/** Deletes a dashboard, once its name was typed. */
export function DeleteDashboardDialog({ dashboard, onDeleted, onClose }: DeleteDashboardDialogProps) {
  const [typed, setTyped] = useState('')
  const remove = useDeleteDashboard()
  const isNamed = typed.trim().toLowerCase() === dashboard.name.trim().toLowerCase()
  const submit = (): void => {
    if (!isNamed) return
    remove.mutate(dashboard._id, {
      onSuccess: () => {
        notifyDone(`'${dashboard.name}' was successfully deleted.`)
        onDeleted()
        onClose()
      },
    })
  }
  return (
    <FormDialog
      title="Delete Dashboard"
      width={440}
      guard={{ isDirty: false, isBusy: remove.isPending }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={submit}
        footer={
          <>
            <FormProblem>{remove.error ? messageOf(remove.error) : null}</FormProblem>
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose} disabled={remove.isPending}>
                Cancel
              </Button>
              <Button type="submit" color="red.8" disabled={!isNamed} loading={remove.isPending}>
                Delete
              </Button>
            </Group>
          </>
        }
      >
        <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
          {'To delete this dashboard for everyone it is shared with, type its name: '}
          <strong>{dashboard.name}</strong>
        </Text>
        <TextInput
          label="Name"
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </DialogForm>
    </FormDialog>
  )
}

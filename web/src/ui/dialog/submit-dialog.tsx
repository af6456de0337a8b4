import { Alert, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { DialogButtons } from './dialog-buttons.tsx'
import { DialogForm, FormDialog } from './form-dialog.tsx'

type SubmitDialogProps = {
  title: string
  /** In pixels; on a phone the dialog fills the screen. */
  width: number
  /** Label of the submit button. */
  submitLabel: string
  isDirty: boolean
  isBusy: boolean
  /** Why submitting failed, if no field shows it. */
  problem: string | null
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  onClose: () => void
  children: ReactNode
}

/** A dialog of a few fields, one below the other, submitted together. */
export function SubmitDialog(props: SubmitDialogProps) {
  const { title, width, submitLabel, isDirty, isBusy, problem, onSubmit, onClose, children } = props
  return (
    <FormDialog title={title} width={width} guard={{ isDirty, isBusy }} onClose={onClose}>
      <DialogForm
        onSubmit={onSubmit}
        footer={
          <DialogButtons onCancel={onClose} isBusy={isBusy}>
            {submitLabel}
          </DialogButtons>
        }
      >
        <Stack gap="sm">
          {problem !== null && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
          {children}
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}

import type { UseMutationResult } from '@tanstack/react-query'
import { messageOf } from '#lib/api/api-error.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'

type CancelDialogProps = {
  noun: 'import' | 'export'
  job: { _id: string; name: string }
  /** Cancels the job with an id. */
  cancel: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending'>
  isOpen: boolean
  onClose: () => void
}

/** Asks whether a job is to be cancelled, cancels it, and says what came of it. */
export function CancelDialog({ noun, job, cancel, isOpen, onClose }: CancelDialogProps) {
  const onConfirm = (): void =>
    cancel.mutate(job._id, {
      onSuccess: () => notifyDone(`'${job.name}' ${noun} was cancelled.`),
      onError: (error) => notifyError(messageOf(error)),
      onSettled: onClose,
    })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={`Cancel ${noun}`}
      question={`Are you sure you want to cancel '${job.name}'?`}
      confirmLabel="Yes, cancel it"
      isBusy={cancel.isPending}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}

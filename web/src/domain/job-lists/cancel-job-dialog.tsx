import type { UseMutationResult } from '@tanstack/react-query'
import { messageOf } from '#lib/api/api-error.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'

type CancelJobDialogProps = {
  /** The kind of job: 'import'. */
  noun: string
  job: { _id: string; name: string }
  isOpen: boolean
  cancel: Pick<UseMutationResult<unknown, Error, string>, 'isPending' | 'mutate'>
  onClose: () => void
}

/** Asks before a running job is cancelled, and confirms it afterwards. */
export function CancelJobDialog({ noun, job, isOpen, cancel, onClose }: CancelJobDialogProps) {
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

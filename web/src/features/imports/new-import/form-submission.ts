import { useLayoutEffect } from 'react'
import { showRefusal } from '#lib/submit.ts'
import type { DialogGuard } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import type { ImportFile } from './import-file.ts'
import { type Handlers, useImportSubmission } from './submit-import.ts'

type FormSubmissionInput = {
  form: {
    values: Record<string, unknown>
    isDirty: () => boolean
    setFieldError: (field: string, message: string) => void
  }
  file: ImportFile
  /** Called when an import of this name exists on the server. */
  refuseName: () => void
  /** Focuses the server's messages at these fields, once they are rendered. */
  reveal: (fields: string[]) => void
  onReviewing?: Handlers['onReviewing']
  onGuardChange: (guard: DialogGuard) => void
  onClose: () => void
}

/** Submits a form of the dialog, shows the server's messages at their fields, and guards the dialog meanwhile. */
export function useFormSubmission({ form, file, refuseName, reveal, ...dialog }: FormSubmissionInput) {
  const { onReviewing, onGuardChange, onClose } = dialog
  const sending = useImportSubmission({
    ...(onReviewing && { onReviewing }),
    onSaved: ({ name }) => {
      notifyDone(`'${name}' was saved.`)
      onClose()
    },
    onRefused: (error, forgetFile) => {
      const shown: string[] = []
      const setFieldError = (field: string, message: string): void => {
        shown.push(field)
        if (field !== 'filePath' && field !== 'fileSheet') return form.setFieldError(field, message)
        file.setProblem(message)
        // The server does not have the file, or no longer has it.
        forgetFile()
      }
      const nameField = (): void => {
        shown.push('name')
        refuseName()
      }
      const rest = showRefusal({ values: form.values, setFieldError }, error, { nameField, findField: rootOf })
      if (shown.length > 0) reveal(shown)
      return rest
    },
  })
  const { step } = sending.submission
  const isBusy = step === 'uploading' || step === 'saving'
  const isDirty = form.isDirty() || file.file !== null
  // Synchronously: the very next key may be Escape.
  useLayoutEffect(() => onGuardChange({ isDirty, isBusy }), [isDirty, isBusy, onGuardChange])
  return { ...sending, isBusy }
}

export type FormSubmission = ReturnType<typeof useFormSubmission>

/** The server names an entry of a list as `purlColumns.0`. */
const rootOf = (field: string): string => field.split('.')[0] ?? field

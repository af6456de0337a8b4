import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useSave } from './access-queries.ts'
import { showRefusal } from './refusal.ts'

type SaveFormOptions<Values, Saved> = {
  save: (values: Values) => Promise<Saved>
  /** The field to which a name that is taken belongs. */
  nameField: string
  /** Marks further problems in the form; returns whether there are any. */
  findMore?: () => boolean
  /** Says what was done: "'Staff' was created." */
  describe: (saved: Saved) => string
  onClose: () => void
}

/** Submits the form of a dialog: checks it, saves its values, and shows what the server refuses at the fields in question. */
export function useSaveForm<Values extends object, Saved>(
  form: UseFormReturnType<Values>,
  { save, nameField, findMore = () => false, describe, onClose }: SaveFormOptions<Values, Saved>,
) {
  const [problem, setProblem] = useState<string | null>(null)
  const saving = useSave(save)
  const submit = (): void => {
    setProblem(null)
    // The schema is checked at once, not in the background.
    const { hasErrors } = form.validate() as { hasErrors: boolean }
    const hasMore = findMore()
    if (hasErrors || hasMore) return focusFirstProblem()
    saving.mutate(form.values, {
      onSuccess: (saved) => {
        notifyDone(describe(saved))
        onClose()
      },
      onError: (error) => {
        setProblem(showRefusal(form, error, nameField, Object.keys(form.values)))
        focusFirstProblem()
      },
    })
  }
  return { submit, problem, isBusy: saving.isPending, isSaved: saving.isSuccess }
}

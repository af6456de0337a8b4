import type { UseFormReturnType } from '@mantine/form'
import { editedForm, useEditing } from '#domain/editing'
import { messageOf } from '#lib/api/api-error.ts'
import { useSubmit } from '#lib/submit.ts'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useSave } from './access-queries.ts'

type SaveFormOptions<Item, Values extends Record<string, unknown>, Saved> = {
  form: UseFormReturnType<Values>
  /** The item as it was when the form opened; null for a new one. */
  item: Item | null
  /** Reads the item again. */
  read: (item: Item) => Promise<Item>
  valuesOf: (item: Item) => Values
  /** Saves over the item whose version is sent; creates a new one if it is null. */
  save: (values: Values, over: Item | null) => Promise<Saved>
  /** The name's field, which shows that the name is taken. */
  nameField: keyof Values & string
  /** Marks problems that the form's schema does not check; true if there are any. */
  findMore?: () => boolean
  /** The notification about the saved item. */
  describe: (saved: Saved) => string
  onClose: () => void
}

/** Validates a dialog's form, saves its values and closes it, or shows why the server refused them. */
export function useSaveForm<Item extends { version: number }, Values extends Record<string, unknown>, Saved>(
  options: SaveFormOptions<Item, Values, Saved>,
) {
  const { form, item, read, valuesOf, nameField, findMore, describe, onClose } = options
  const editing = useEditing({ item, read, valuesOf, form: editedForm(form) })
  const save = useSave((values: Values) => editing.save((over) => options.save(values, over)))
  const { submit, problem, setProblem, isBusy } = useSubmit(form, save, {
    nameField,
    readTaken: messageOf,
    done: (saved) => {
      notifyDone(describe(saved))
      onClose()
    },
    refused: focusFirstProblem,
  })
  function onSubmit(): void {
    setProblem(null)
    // The schema is validated synchronously.
    const { hasErrors } = form.validate() as { hasErrors: boolean }
    const hasMore = findMore?.() ?? false
    if (hasErrors || hasMore) return focusFirstProblem()
    submit(form.values)
  }
  return { onSubmit, problem, editing, isBusy, isSaved: save.isSuccess }
}

import type { FieldEntry, FieldUse } from '@portico/contract/fields'
import { Text } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { TypedConfirmDialog } from '#ui/dialog/typed-confirm-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { saysMissing, usesByKind } from './field-texts.ts'
import { useDeleteField, useFieldValues } from './fields-queries.ts'

type DeleteFieldDialogProps = { field: FieldEntry; onClose: () => void }

/** Deletes a field after its name is typed; lists the filters, dashboards and crons that will lack it. */
export function DeleteFieldDialog({ field, onClose }: DeleteFieldDialogProps) {
  const values = useFieldValues(field._id)
  const remove = useDeleteField()
  const missing = values.data?.uses.filter(saysMissing)
  const problem = remove.error ?? values.error
  const onConfirm = (): void => {
    if (!missing) return
    remove.mutate(
      { id: field._id, uses: missing.length },
      {
        onSuccess: () => {
          notifyDone(`'${field.name}' was deleted.`)
          onClose()
        },
        // The field may have other uses by now.
        onError: () => void values.refetch(),
      },
    )
  }
  return (
    <TypedConfirmDialog
      title={`Delete ${field.name}`}
      question={<Question missing={missing} />}
      label="Name"
      expected={field.name}
      confirmLabel="Delete"
      isBusy={remove.isPending || values.isPending}
      problem={problem ? messageOf(problem) : null}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}

function Question({ missing = [] }: { missing: FieldUse[] | undefined }) {
  return (
    <>
      The field disappears from contacts, searches and files. You can restore it here for 30 days; then its values are
      removed.
      {missing.length > 0 && (
        <Text size="sm" my="xs" component="span" display="block">
          {`These will say that it is missing: ${usesByKind(missing)
            .map(({ term, value }) => `${term}: ${value}`)
            .join('; ')}.`}
        </Text>
      )}{' '}
      To delete it, type its name:
    </>
  )
}

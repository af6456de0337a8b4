import type { UndoFigures } from '@portico/contract/import-undo'
import type { Import } from '@portico/contract/imports'
import { List, Text } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatDate } from '#lib/formats.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useImportUndo, useUndoImport } from './imports-queries.ts'
import { KeptList } from './kept-list.tsx'

type UndoImportDialogProps = { item: Import; onClose: () => void }

/** Says what undoing an import removes, restores and keeps, and asks before it. */
export function UndoImportDialog({ item, onClose }: UndoImportDialogProps) {
  const figures = useImportUndo(item._id)
  const undo = useUndoImport()
  const problem = undo.error ?? figures.error
  const onConfirm = (): void =>
    undo.mutate(item._id, {
      onSuccess: () => {
        notifyDone(`'${item.name}' is being taken back.`)
        onClose()
      },
      // The cause of the error may have changed the figures, too.
      onError: () => void figures.refetch(),
    })
  return (
    <ConfirmDialog
      isOpen
      title="Undo import"
      question={<Question item={item} figures={figures.data} problem={problem} />}
      confirmLabel="Yes, undo it"
      isBusy={undo.isPending}
      isPreparing={figures.isPending}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}

type QuestionProps = { item: Import; figures: UndoFigures | undefined; problem: Error | null }

function Question({ item, figures, problem }: QuestionProps) {
  return (
    <>
      {`Are you sure you want to undo '${item.name}'?`}
      {figures ? (
        <Forecast item={item} figures={figures} />
      ) : (
        !problem && <Text size="sm">Counting what would change…</Text>
      )}
      <Text size="sm" mt="xs">
        {`You can do this until ${formatDate(item.undoUntil)}. It cannot be reversed.`}
      </Text>
      {problem && (
        <Text role="alert" size="sm" c="red" mt="xs">
          {messageOf(problem)}
        </Text>
      )}
    </>
  )
}

function Forecast({ item, figures }: { item: Import; figures: UndoFigures }) {
  const { removedFields: fields } = figures
  if (item.kind === 'events') {
    const events = formatCount(figures.removedEvents, 'event')
    const others = figures.removedOthers > 0 ? 'Other contacts' : 'Contacts'
    return (
      <List size="sm" mt="xs">
        <List.Item>{`${events} that it recorded will be deleted. ${others} stay as they are.`}</List.Item>
        {figures.removedOthers > 0 && <Others count={figures.removedOthers} />}
      </List>
    )
  }
  return (
    <>
      <List size="sm" mt="xs">
        <List.Item>{`${formatCount(figures.removedContacts, 'contact')} that it created will be deleted.`}</List.Item>
        {figures.removedOthers > 0 && <Others count={figures.removedOthers} />}
        <List.Item>
          {`${formatCount(figures.returnedContacts, 'contact')} will get back the values from before.`}
        </List.Item>
        {figures.keptContacts > 0 && (
          <List.Item>
            {`${formatCount(figures.keptContacts, 'contact')} that it created will stay: something has happened to them since.`}
          </List.Item>
        )}
        {figures.keptValues > 0 && (
          <List.Item>{`${formatCount(figures.keptValues, 'value')} will stay as they are: they were changed since.`}</List.Item>
        )}
        {fields.length > 0 && (
          <List.Item>{`Fields that it made will be deleted once they are empty: ${fields.join(', ')}.`}</List.Item>
        )}
      </List>
      <KeptList figures={figures} />
    </>
  )
}

/** Contacts of imports that were undone before. */
function Others({ count }: { count: number }) {
  const text = `${formatCount(count, 'contact')} will be deleted that stayed only because of it when their own import was undone.`
  return <List.Item>{text}</List.Item>
}

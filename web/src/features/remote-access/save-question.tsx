import type { ColumnRating, RemoteAccess } from '@portico/contract/remote-access'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { TypedConfirmDialog } from '#ui/dialog/typed-confirm-dialog.tsx'
import { type AccessValues, chosenColumns, columnsLabel, sensitiveOf, widens } from './access-form.ts'

/** Consequences of the settings: contacts found by counting, and public columns that look personal. */
type Question = { isOpen: boolean; columns: string; sensitive: string[]; from: string }

/** The question before the settings are saved; null if they expose no more than the stored access, or little. */
export function questionOf(
  values: AccessValues,
  access: RemoteAccess | null,
  level: ColumnRating['level'] | undefined,
): Question | null {
  const names = chosenColumns(values)
  // Also while the rating is loading: ids can be counted up.
  const isOpen = level === 'open' || names.join('\0') === '_id'
  const sensitive = sensitiveOf(values.publicColumns)
  if (!widens(values, access) || (!isOpen && sensitive.length === 0)) return null
  const from =
    values.type === 'domain'
      ? 'from a page of the domain or with a program that pretends to be one'
      : 'from this address'
  return { isOpen, columns: columnsLabel(names), sensitive, from }
}

type SaveQuestionProps = { question: Question; domainOrIp: string; onConfirm: () => void; onClose: () => void }

/** Asks again before saving settings that expose much. */
export function SaveQuestion({ question, domainOrIp, onConfirm, onClose }: SaveQuestionProps) {
  const { isOpen, columns, sensitive, from } = question
  const personal =
    sensitive.length > 0
      ? `These columns look personal: ${sensitive.join(', ')}. Anyone who knows or guesses the ${columns} of a contact can read them ${from}.`
      : null
  if (isOpen) {
    return (
      <TypedConfirmDialog
        title="Let anyone read every contact?"
        question={
          <>
            {personal && `${personal} `}
            {`Values of ${columns} can be counted up, so anyone can read the public columns of every contact. To save it, type:`}
          </>
        }
        label="Domain or IP Address"
        expected={domainOrIp}
        confirmLabel="Save"
        isBusy={false}
        problem={null}
        onConfirm={onConfirm}
        onClose={onClose}
      />
    )
  }
  return (
    <ConfirmDialog
      isOpen
      title="Make personal columns public?"
      question={personal}
      confirmLabel="Make public"
      cancelLabel="Cancel"
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}

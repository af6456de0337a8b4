import type { ContactChange } from '@portico/contract/contact-edits'
import { type ContactValue, listContactFields } from '#contacts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { isRowNumber } from '#platform/ids.ts'
import { returnedBy, selectChange, selectChanges } from './changes.queries.ts'
import { editContact, requireContact } from './edit.service.ts'
import { asEditor } from './edit-rights.ts'
import { historyReader, type Mender } from './mending.ts'
import { changeOnWire } from './recorded-change.ts'

const mostListed = 100

/**
 * The last changes of a contact made by people and programs, without deleted fields and with long texts shortened.
 * @throws not_found for a contact that the caller cannot see
 */
export async function listChanges(
  { db, account, rows }: Pick<Mender, 'db' | 'account' | 'rows'>,
  contact: string,
): Promise<ContactChange[]> {
  await requireContact({ db, account, rows }, contact)
  const names = new Map((await listContactFields(db, account)).map(({ id, name }) => [id, name]))
  const changes = await selectChanges(db, account, contact, { limit: mostListed, fields: [...names.keys()] })
  return changes.map(({ isUndone, fields, ...change }) => {
    const values = fields.map(({ field, name, from, to, shortened }) => {
      return { field: names.get(field) ?? name, from, to, ...(shortened.length > 0 && { shortened }) }
    })
    return changeOnWire(change, values, isUndone)
  })
}

/**
 * Undoes a change, if its fields still have the values it set. The undo is judged as an ordinary edit.
 * @throws as `editContact`; also not_found for a change of another contact
 */
export async function undoChange(mender: Mender, contact: string, id: string): Promise<ContactChange | null> {
  const { db, account } = mender
  await requireContact(mender, contact)
  const change = isRowNumber(id) ? await selectChange(db, account, contact, id) : undefined
  // Entering a contact is undone by deleting it, and a merge as a delete is.
  if (!change || change.kind === 'added' || change.merged_contact !== null) throw new AppError('not_found')
  const fields = new Map((await listContactFields(db, account)).map((field) => [field.id, field]))
  const read = await historyReader(db, account)
  const edits: [string, { from: ContactValue; to: ContactValue }][] = []
  for (const each of change.fields) {
    const field = fields.get(each.field)
    if (!field) throw invalidField(each.name, 'This field does not exist any more.')
    edits.push([field.name, { from: await read(field, each.to), to: await read(field, returnedBy(each)) }])
  }
  const changes = Object.fromEntries(edits)
  return editContact(asEditor(mender, contact, changes), contact, changes, { kind: 'undone', undoes: id })
}

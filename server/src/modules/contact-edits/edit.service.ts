import type { ContactChange } from '@portico/contract/contact-edits'
import type { AccountId } from '@portico/contract/accounts'
import {
  type ContactField,
  type ContactValue,
  forgetUnreadTexts,
  lockContact,
  selectContactValues,
  updateContactValues,
} from '#contacts'
import { requireVisible, selectVisible } from '#filters'
import { isUnended } from '#imports'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { isRowNumber } from '#platform/ids.ts'
import { changedValues, valueChanged } from './changed-meanwhile.ts'
import { type FieldChange, selectChange } from './changes.queries.ts'
import { isSameValue } from './contact-value.ts'
import {
  keyRuleOf,
  mend,
  type Mender,
  type NamedFields,
  namedFields,
  requireStillVisible,
  valueReader,
  writeKeys,
} from './mending.ts'
import { cancelOut } from './next-changes.service.ts'
import { readableOf } from './reading.ts'
import { answerTo, type ChangeKind, finishChange, recordChange } from './recorded-change.ts'

type Edits = Readonly<Record<string, { from: ContactValue; to: ContactValue }>>
type Wanted = { field: ContactField; from: ContactValue; to: ContactValue }

/**
 * Sets fields of a contact that still have the values which the caller has read. Returns the change, and null when nothing
 * differs.
 * @throws not_found for a contact that the caller does not see; invalid_input naming the field; value_changed; key_taken;
 *   value_taken; contact_busy; import_running; not_allowed for a field that the caller may not read, and for values with which
 *   the caller would not see the contact
 */
export async function editContact(
  mender: Mender,
  id: string,
  edits: Edits,
  kind: ChangeKind,
): Promise<ContactChange | null> {
  const { db, account, rows } = mender
  await requireContact(mender, id)
  const touchesKeys = await areKeysTouched(db, account, id, edits)
  return mend(mender, { touchesKeys }, async (tx) => {
    const contact = await lockContact(tx, account, id)
    if (!contact || (await selectVisible(tx, account, [id], rows)).length === 0) throw new AppError('not_found')
    // It may still be merged with another row of its file.
    if (await isUnended(tx, account, contact.importId)) throw new AppError('contact_busy', undefined, beingImported)
    const fields = await namedFields(tx, account)
    const wanted = await readEdits(tx, account, fields, edits)
    const current = await selectContactValues(
      tx,
      account,
      id,
      wanted.map(({ field }) => field),
    )
    const valueOf = (field: ContactField): ContactValue => current.get(field.column) ?? null
    await requireReadable(tx, mender, id, wanted)
    const moved = wanted.filter(({ field, from }) => !isSameValue(field, from, valueOf(field)))
    if (moved.length > 0) {
      const known = moved.map(({ field, from }) => ({ field, from, current: valueOf(field) }))
      throw valueChanged(await changedValues(tx, mender, { id, ...contact }, known))
    }
    const changes = wanted.filter(({ field, to }) => !isSameValue(field, to, valueOf(field)))
    if (changes.length === 0) return null
    const now = new Date()
    const values = changes.map(({ field, to }) => ({ field, value: to }))
    await updateContactValues(tx, account, id, { values, now })
    // Before the keys, which may name a contact that the caller does not see.
    await requireStillVisible(tx, mender, id)
    if (kind.kind !== 'undone') await forgetUnreadTexts(tx, account, id, emptied(values))
    const rule = await keyRuleOf(tx, account, contact.importId, fields)
    if (changes.some(({ field }) => rule.fields.some((used) => used.id === field.id))) {
      // An import has created keys for it since they were looked up.
      if (!touchesKeys) throw new AppError('contact_busy')
      await writeKeys(tx, mender, id, rule)
    }
    const recorded = changes.map(({ field, to }): FieldChange => {
      return { field: field.id, name: field.name, from: valueOf(field), to }
    })
    const change = await recordChange(tx, mender, id, { ...kind, fields: recorded, now })
    const undone = kind.undoes === undefined ? undefined : await selectChange(tx, account, id, kind.undoes)
    if (undone) await cancelOut(tx, account, undone, change)
    await finishChange(tx, mender, change)
    return answerTo(change)
  })
}

/** The columns that a user has emptied: an unreadable text kept for such a column must not come back. */
export const emptied = (values: readonly { field: ContactField; value: ContactValue }[]): number[] =>
  values.flatMap(({ field, value }) => (value === null ? [field.columnNo] : []))

/** @throws not_found for a contact that does not exist, or that the caller cannot see */
export async function requireContact(
  { db, account, rows }: Pick<Mender, 'db' | 'account' | 'rows'>,
  id: string,
): Promise<void> {
  if (!isRowNumber(id)) throw new AppError('not_found')
  await requireVisible(db, account, id, rows)
  if ((await selectContactValues(db, account, id, [])).size === 0) throw new AppError('not_found')
}

export const beingImported = 'The import that has brought this contact is still running. Try again when it has ended.'

async function areKeysTouched(db: Db, account: AccountId, id: string, edits: Edits): Promise<boolean> {
  const fields = await namedFields(db, account)
  // Ids begin with the number of the import (0001-contacts.sql).
  const rule = await keyRuleOf(db, account, Number(BigInt(id) >> 33n), fields)
  return Object.keys(edits).some((name) => rule.fields.some((used) => used.id === fields.find(name).id))
}

async function readEdits(db: Db, account: AccountId, fields: NamedFields, edits: Edits): Promise<Wanted[]> {
  const read = await valueReader(db, account)
  const wanted: Wanted[] = []
  for (const [name, { from, to }] of Object.entries(edits)) {
    const field = fields.find(name)
    if (wanted.some((other) => other.field.id === field.id)) throw invalidField(name, 'This field is named twice.')
    wanted.push({ field, from, to: await read(field, to) })
  }
  return wanted
}

/** The check of the earlier value would answer guesses of it. @throws not_allowed */
async function requireReadable(tx: Db, mender: Mender, id: string, wanted: readonly Wanted[]): Promise<void> {
  const fields = wanted.map(({ field }) => field)
  const readable = await readableOf(tx, mender, id, fields)
  const hidden = fields.filter((field) => !readable.has(field)).map(({ name }) => `"${name}"`)
  if (hidden.length === 0) return
  throw new AppError('not_allowed', undefined, `Changing ${hidden.join(', ')} takes the right to read it.`)
}

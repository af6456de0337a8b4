import type { AccountId } from '@portico/contract/accounts'
import { type ContactField, selectCatalogue, toContactField } from '#contacts'
import { type KeyRule, passOnUnmerged, selectFirstImports } from '#imports'
import type { Db } from '#platform/database.ts'
import { type ChangeRow, type FieldChange, returnedBy } from './changes.queries.ts'
import { isSameValue } from './contact-value.ts'
import { markUndone, selectNextChanges, type StandingValue, updateReturns } from './later-changes.queries.ts'
import { historyReader } from './mending.ts'

// A change that is taken back while a later one of the same value stands passes its earlier value on to the next one: the record
// of an import, a merge, an edit, or an undo (ADR 0168). Imports pass theirs on in the same way (`passToEdits`, `passToImports`).

/** The next change of a value: an edit or a merge; null for an import. `isImported`: whether any later import wrote it. */
export type NextChange = { edit: StandingValue | null; isImported: boolean }

/** All fields by their numbers, also hidden ones, which can be restored with their values. */
export async function fieldsByNumber(db: Db, account: AccountId): Promise<Map<number, ContactField>> {
  return new Map((await selectCatalogue(db, account)).map((row) => [row.id, toContactField(row)]))
}

/** By the number of a field: the next change that stands after the one that a contact had; not `except`. */
export async function nextChanges(
  db: Db,
  account: AccountId,
  { id, contact_id: contact, last_import: lastImport, fields: values }: ChangeRow,
  { fields, except = null }: { fields: ReadonlyMap<number, ContactField>; except?: string | null },
): Promise<Map<number, NextChange>> {
  const known = values.flatMap(({ field }) => fields.get(field) ?? [])
  const edits = await selectNextChanges(db, account, contact, { after: id, except })
  const imports = await selectFirstImports(db, account, { contact, lastImport, fields: known })
  const next = new Map<number, NextChange>(
    [...imports.keys()].map((field) => [field, { edit: null, isImported: true }]),
  )
  for (const [field, edit] of edits) {
    const byImport = imports.get(field)
    if (byImport === undefined || byImport > edit.lastImport) {
      next.set(field, { edit, isImported: byImport !== undefined })
    }
  }
  return next
}

/** Passes the earlier values of a change on to the next ones, where these changed the values that it wrote. */
export async function passOn(
  db: Db,
  account: AccountId,
  { contact_id: contact, last_import: lastImport, fields: changes }: ChangeRow,
  { fields, next, rule }: { fields: ReadonlyMap<number, ContactField>; next: Map<number, NextChange>; rule: KeyRule },
): Promise<void> {
  const read = await historyReader(db, account)
  const toEdits: Parameters<typeof updateReturns>[2][number][] = []
  const toImports: { field: ContactField; from: FieldChange['from']; to: FieldChange['to'] }[] = []
  for (const change of changes) {
    const [field, later] = [fields.get(change.field), next.get(change.field)]
    if (!field || !later || change.undone) continue
    const returns = returnedBy(change)
    const { edit } = later
    if (!edit) toImports.push({ field, from: returns, to: change.to })
    else if (isSameValue(field, await read(field, change.to), await read(field, edit.returns))) {
      toEdits.push({ id: edit.id, place: edit.place, returns })
    }
  }
  await updateReturns(db, account, toEdits)
  await passOnUnmerged(db, account, { contact, lastImport, rule, values: toImports })
}

/**
 * Marks a change and the one that undid it as taken back: earlier changes pass their values on to neither of them. A value that
 * was changed in between and back was not taken back: its undo is one more change.
 */
export async function cancelOut(db: Db, account: AccountId, undone: ChangeRow, undo: ChangeRow): Promise<void> {
  const fields = await fieldsByNumber(db, account)
  const next = await nextChanges(db, account, undone, { fields, except: undo.id })
  const last = undone.fields.filter((change) => !change.undone && !next.has(change.field))
  await markUndone(
    db,
    account,
    [undone.id, undo.id],
    last.map(({ field }) => field),
  )
}

import type { AccountId } from '@portico/contract/accounts'
import type { MissingRecords } from '@portico/contract/deletes'
import {
  type ContactField,
  type ContactValue,
  deleteMergedKeys,
  lockContact,
  selectContactValues,
  selectKeyHolder,
  selectKeyless,
  selectMergedHashes,
  selectMergeHolder,
  updateContactValues,
  upsertKeys,
} from '#contacts'
import { deleteKeptOfMerge, deleteMergedEvents, findDelete, selectMergesOf } from '#deletes'
import { computeKeys, type KeyRule } from '#imports'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { type ChangeRow, type FieldChange, returnedBy, selectChange, selectMergeChange } from './changes.queries.ts'
import { isSameValue } from './contact-value.ts'
import { markUndone, selectStandingMerges } from './later-changes.queries.ts'
import { historyReader, keyRuleOf, namedFields, valueReader, writeFreeKeys } from './mending.ts'
import { fieldsByNumber, type NextChange, nextChanges, passOn } from './next-changes.service.ts'
import { finishChange, recordChange } from './recorded-change.ts'

type Missing = MissingRecords['missing']
type Changer = { account: AccountId; actor: Actor }

/**
 * Takes back what a merge did to the contact that stayed, in a transaction under the account's lock of imports, before the
 * other one returns: events and keys leave it, and it gets its earlier values, except those changed since. Returns the values
 * that stay: the earlier ones return with the undo of what changed them next. Once the contact is deleted, only the events and
 * keys that it would get back by an undo are taken from it; its values follow when it returns (`revertReturned`).
 * @throws key_taken with the fields, if another contact has by now the key that it would have again
 */
export async function revertMerge(
  tx: Db,
  account: AccountId,
  { deleteId, actor }: { deleteId: string; actor: Actor },
): Promise<Missing> {
  const merges = await selectMergesOf(tx, account, deleteId)
  const id = await selectMergeHolder(tx, account, deleteId)
  const contact = id === undefined ? undefined : await lockContact(tx, account, id)
  // After the lock: what a bulk delete kept of the contact before it is seen, and none keeps it from now on.
  await deleteKeptOfMerge(tx, account, deleteId, merges)
  if (id === undefined) return []
  await deleteMergedEvents(tx, account, deleteId, id)
  const before = await selectMergedHashes(tx, account, deleteId)
  await deleteMergedKeys(tx, account, merges)
  const change = await selectMergeChange(tx, account, id, deleteId)
  if (!contact || !change) return []
  const rule = await keyRuleOf(tx, account, contact.importId, await namedFields(tx, account))
  const stay = await revertValues(tx, { account, actor }, change, rule)
  await returnKeys(tx, account, { id, rule }, { isKeyless: before.kept === null, reserved: before.other })
  return stay
}

/**
 * Gives contacts that return from a delete the values from before merges that were undone meanwhile, and the keys of these.
 * @throws key_taken with the fields, if another contact has by now the key that one of them would have
 */
export async function revertReturned(tx: Db, { account, actor }: Changer, contacts: readonly string[]): Promise<void> {
  const merges = await selectStandingMerges(tx, account, contacts)
  for (const [id, changes] of Map.groupBy(merges, (change) => change.contact_id)) {
    const undone: ChangeRow[] = []
    for (const change of changes) {
      const merge = change.delete_id === null ? undefined : await findDelete(tx, account, change.delete_id)
      if (merge?.contents === 'returned') undone.push(change)
    }
    const contact = undone.length > 0 ? await lockContact(tx, account, id) : undefined
    if (!contact) continue
    const rule = await keyRuleOf(tx, account, contact.importId, await namedFields(tx, account))
    // Each reads the values that the one before it has passed on.
    for (const { id: change } of undone) {
      const read = await selectChange(tx, account, id, change)
      if (read) await revertValues(tx, { account, actor }, read, rule)
    }
    const isKeyless = (await selectKeyless(tx, account, [id])).length > 0
    await returnKeys(tx, account, { id, rule }, { isKeyless, reserved: null })
  }
}

/** Gives a contact the values from before a merge. Returns those that stay. */
async function revertValues(tx: Db, { account, actor }: Changer, change: ChangeRow, rule: KeyRule): Promise<Missing> {
  const id = change.contact_id
  const fields = await fieldsByNumber(tx, account)
  const next = await nextChanges(tx, account, change, { fields })
  const { values, stay } = await earlierValues(tx, account, change, { fields, next })
  const now = new Date()
  await updateContactValues(tx, account, id, { values: values.map(({ field, to }) => ({ field, value: to })), now })
  await passOn(tx, account, change, { fields, next, rule })
  const returned = values.map(({ field, from, to }): FieldChange => ({ field: field.id, name: field.name, from, to }))
  const merged = { contact: change.merged_contact ?? '', delete: change.delete_id ?? '' }
  const kind = { kind: 'undone' as const, undoes: change.id, merged }
  const undone = await recordChange(tx, { account, actor }, id, { ...kind, fields: returned, now })
  const all = change.fields.map(({ field }) => field)
  await markUndone(tx, account, [change.id, undone.id], all)
  await finishChange(tx, { account, actor }, undone)
  return stay
}

type Returned = { field: ContactField; from: ContactValue; to: ContactValue }

/** The values that a contact gets back, and those that stay: changed since the merge, or of another type by now. */
async function earlierValues(
  tx: Db,
  account: AccountId,
  { contact_id: id, fields: changes }: ChangeRow,
  { fields, next }: { fields: ReadonlyMap<number, ContactField>; next: ReadonlyMap<number, NextChange> },
): Promise<{ values: Returned[]; stay: Missing }> {
  const current = await selectContactValues(tx, account, id, [...fields.values()])
  const widened = await historyReader(tx, account)
  const read = await valueReader(tx, account)
  const found: { values: Returned[]; stay: Missing } = { values: [], stay: [] }
  for (const change of changes) {
    const field = fields.get(change.field)
    if (!field || change.undone) continue
    const value = current.get(field.column) ?? null
    const stays = (reason: Missing[number]['reason']) => found.stay.push({ contact: id, fields: [field.name], reason })
    // As in the undo of an import, a later import counts even if it wrote the same value again.
    const isImported = next.get(change.field)?.isImported ?? false
    if (isImported || !isSameValue(field, await widened(field, change.to), value)) {
      stays('changed')
      continue
    }
    const earlier = await read(field, await widened(field, returnedBy(change))).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_input') return undefined
      throw error
    })
    if (earlier === undefined) stays('retyped')
    else found.values.push({ field, from: value, to: earlier })
  }
  return found
}

/**
 * Gives a contact the keys of its earlier values. Without a dedup key before the merge (`isKeyless`), it gets none that the other
 * contact had (`reserved`), or that a third one has: it was a duplicate.
 * @throws key_taken
 */
async function returnKeys(
  tx: Db,
  account: AccountId,
  { id, rule }: { id: string; rule: KeyRule },
  { isKeyless, reserved }: { isKeyless: boolean; reserved: string | null },
): Promise<void> {
  if (isKeyless) return writeFreeKeys(tx, account, id, rule, reserved)
  const keys = await computeKeys(tx, account, id, rule)
  const holder = keys.hash === null ? undefined : await selectKeyHolder(tx, account, { hash: keys.hash, except: id })
  if (holder) throw new AppError('key_taken', { fields: rule.columns.dedup.map(({ field }) => field.name) })
  if (rule.fields.length > 0) await upsertKeys(tx, account, id, keys)
}

import type { ChangedValue, ContactChange, MergeChoice } from '@portico/contract/contact-edits'
import {
  type ContactField,
  type ContactValue,
  forgetUnreadTexts,
  insertMergedKeys,
  lockContact,
  moveEvents,
  selectContactValues,
  selectKeyless,
  updateContactValues,
} from '#contacts'
import { insertMerge, keepContacts, removeContacts, updateMergeKept } from '#deletes'
import { countUnendedImports, isUnended, selectImportRules } from '#imports'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { changedValues, valueChanged } from './changed-meanwhile.ts'
import type { FieldChange } from './changes.queries.ts'
import { isSameValue } from './contact-value.ts'
import { beingImported, emptied, requireContact } from './edit.service.ts'
import type { Changes } from './edit-rights.ts'
import { filterOf, type Merging, requireAllReadable, requireDeletable, requireEditable } from './merge-rights.ts'
import { keyRuleOf, mend, type Mender, namedFields, requireStillVisible, writeFreeKeys, writeKeys } from './mending.ts'
import { answerTo, finishChange, recordChange } from './recorded-change.ts'

/** The values of a field that the caller has read, and which of them they want. */
type ReadValues = { kept: ContactValue; other: ContactValue; wins?: MergeChoice | undefined }
type Wanted = { other: string; fields: Readonly<Record<string, ReadValues>> }
export type Merged = { change: ContactChange; movedEvents: number; delete: string }

/** A field with the values of both contacts as they are now. */
type Both = { field: ContactField; kept: ContactValue; other: ContactValue }
type Locked = { id: string; importId: number; updatedAt: Date | null }

/**
 * Merges another contact into one: this one gets the chosen values and the events, and is found by the keys and the PURL of
 * the other one, which is kept like a deleted one, so that the merge can be undone.
 * @throws not_found for a contact that the caller does not see; invalid_input; value_changed where a value is not the one that was
 *   read, or two values differ that were not named; not_allowed; key_taken; value_taken; contact_busy; import_running
 */
export async function mergeContacts(
  mender: Mender,
  id: string,
  { other: sent, fields: read }: Wanted,
): Promise<Merged> {
  const { account } = mender
  for (const each of [id, sent]) await requireContact(mender, each)
  const merging = { kept: BigInt(id).toString(), other: BigInt(sent).toString() }
  if (merging.kept === merging.other) throw invalidField('other', 'A contact cannot be merged with itself.')
  // No import looks up keys meanwhile, and no contact is added.
  return mend(mender, { touchesKeys: true }, async (tx) => {
    // An import of events has looked up its contacts before it writes, too.
    if ((await countUnendedImports(tx, account)) > 0) throw new AppError('import_running')
    const [kept, other] = await lockBoth(tx, mender, merging)
    const fields = await namedFields(tx, account)
    await requireAllReadable(tx, mender, merging, fields.all)
    const wanted = new Map(Object.entries(read).map(([name, values]) => [fields.find(name).id, values]))
    if (wanted.size < Object.keys(read).length) throw invalidField('fields', 'A field is named twice.')
    const both = await selectBoth(tx, mender, merging, fields.all)
    await requireUnchanged(tx, mender, { kept, other }, both, wanted)
    const changes = both.flatMap((each): FieldChange[] => {
      const { field, kept: from, other: to } = each
      const isChanged = winnerOf(each, wanted.get(field.id)) === 'other' && !isSameValue(field, from, to)
      return isChanged ? [{ field: field.id, name: field.name, from, to }] : []
    })
    const editor = await requireEditable(tx, mender, merging, editsOf(changes))
    await requireDeletable(tx, mender, merging)
    // Read before the other one is deleted: a computed rule ends with the last key.
    const rule = await keyRuleOf(tx, account, kept.importId, fields)
    const now = new Date()
    const { deleteId, movedEvents } = await takeOver(tx, mender, merging, now)
    await writeValues(tx, editor, kept, { all: both, changes, now })
    if (changes.some(({ field }) => rule.fields.some((used) => used.id === field))) {
      await writeKeys(tx, mender, kept.id, rule)
    } else if ((await selectKeyless(tx, account, [kept.id])).length > 0) {
      // The other one may have had the key of both.
      await writeFreeKeys(tx, account, kept.id, rule)
    }
    const merged = { contact: other.id, delete: deleteId }
    const change = await recordChange(tx, mender, kept.id, { kind: 'merged', merged, fields: changes, now })
    await finishChange(tx, mender, change)
    return { change: answerTo(change), movedEvents, delete: deleteId }
  })
}

/** Locks both, always in the same order. @throws not_found, contact_busy */
async function lockBoth(tx: Db, { account }: Mender, merging: Merging): Promise<[Locked, Locked]> {
  const locked = new Map<string, Locked>()
  for (const id of [merging.kept, merging.other].toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))) {
    const contact = await lockContact(tx, account, id)
    if (!contact) throw new AppError('not_found')
    // It may still be merged with another row of its file.
    if (await isUnended(tx, account, contact.importId)) throw new AppError('contact_busy', undefined, beingImported)
    locked.set(id, { id, ...contact })
  }
  const [kept, other] = [locked.get(merging.kept), locked.get(merging.other)]
  if (!kept || !other) throw new AppError('not_found')
  return [kept, other]
}

async function selectBoth(
  tx: Db,
  { account }: Mender,
  merging: Merging,
  fields: readonly ContactField[],
): Promise<Both[]> {
  const kept = await selectContactValues(tx, account, merging.kept, fields)
  const other = await selectContactValues(tx, account, merging.other, fields)
  return fields.map((field) => {
    return { field, kept: kept.get(field.column) ?? null, other: other.get(field.column) ?? null }
  })
}

/** By default, a contact keeps its value, unless it has none. */
const winnerOf = ({ field, kept }: Both, read: ReadValues | undefined): MergeChoice =>
  read?.wins ?? (isSameValue(field, kept, null) ? 'other' : 'kept')

/** @throws value_changed */
async function requireUnchanged(
  tx: Db,
  mender: Mender,
  { kept, other }: { kept: Locked; other: Locked },
  both: readonly Both[],
  wanted: ReadonlyMap<number, ReadValues>,
): Promise<void> {
  const details: ChangedValue[] = []
  for (const side of ['kept', 'other'] as const) {
    const contact = side === 'kept' ? kept : other
    const moved = both.flatMap((each) => {
      const { field, [side]: current } = each
      const read = wanted.get(field.id)
      // Two values that were not named were equal; which of them has changed is not known.
      const from = read ? read[side] : side === 'other' ? each.kept : current
      return isSameValue(field, from, current) ? [] : [{ field, from, current }]
    })
    const values = moved.length > 0 ? await changedValues(tx, mender, contact, moved) : []
    details.push(...values.map((value) => ({ contact: contact.id, ...value })))
  }
  if (details.length > 0) throw valueChanged(details)
}

const editsOf = (changes: readonly FieldChange[]): Changes =>
  Object.fromEntries(changes.map(({ name, from, to }) => [name, { from, to }]))

/** Keeps the other contact, gives its events and keys to the one that stays, and deletes it. */
async function takeOver(
  tx: Db,
  { account, actor }: Mender,
  { kept, other }: Merging,
  now: Date,
): Promise<{ deleteId: string; movedEvents: number }> {
  const bindingImports = (await selectImportRules(tx, account)).filter(({ binds }) => binds).map((each) => each.id)
  const filter = JSON.stringify(filterOf(other))
  const deleteId = await insertMerge(tx, account, { filter, into: kept, creator: actor.actor, bindingImports, now })
  const count = await keepContacts(tx, account, { deleteId, ids: [other] }, '-1')
  await updateMergeKept(tx, account, deleteId, count)
  const movedEvents = await moveEvents(tx, account, { from: other, to: kept })
  await insertMergedKeys(tx, account, { deleteId, kept, other })
  // Before the values are written: unique indexes allow them once.
  await removeContacts(tx, account, [other])
  return { deleteId, movedEvents }
}

async function writeValues(
  tx: Db,
  mender: Mender,
  { id }: Locked,
  { all, changes, now }: { all: readonly Both[]; changes: readonly FieldChange[]; now: Date },
): Promise<void> {
  const changed = new Set(changes.map(({ field }) => field))
  const values = all.flatMap(({ field, other }) => (changed.has(field.id) ? [{ field, value: other }] : []))
  await updateContactValues(tx, mender.account, id, { values, now })
  // Before the keys, which may name a contact that the caller does not see.
  await requireStillVisible(tx, mender, id)
  await forgetUnreadTexts(tx, mender.account, id, emptied(values))
}

import type { AccountId } from '@portico/contract/accounts'
import type { MissingRecords } from '@portico/contract/deletes'
import { accountTimeZone } from '#accounts'
import { laterEdits, revertReturned } from '#contact-edits'
import {
  type CatalogueRow,
  keepEventFields,
  mostTextBytes,
  selectCatalogue,
  selectLastRetypes,
  selectPartTables,
  toContactField,
} from '#contacts'
import {
  type ContactPace,
  deleteKeptRows,
  type KeptContacts,
  type KeptField,
  returnChanges,
  returnContacts,
  returnImportChanges,
  returnKeysAndEvents,
  returnPart,
  returnWrittenTexts,
  selectKeptEventFields,
  selectKeptTexts,
  selectTakenKeys,
  selectTextSizes,
  tablesBesideContacts,
} from '#deletes'
import { convertTexts } from '#fields'
import {
  bindingDedupColumns,
  type EventIds,
  returnMissedValues,
  selectRecordingImports,
  selectTakenBackEvents,
  selectUndoneImports,
} from '#imports'
import { findBrokenIndex } from '#indexes'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, isTooLarge } from '#platform/database.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import { updateWordsMissed } from '#search'
import { type ReturnedFields, returnedFields } from './returned-fields.ts'

type Missing = MissingRecords['missing']

/** The present state of the account, for contacts being restored. */
type Returning = {
  account: AccountId
  catalogue: CatalogueRow[]
  fields: ReturnedFields
  timeZone: string
  /** Tables that hold columns of contacts, besides `contacts`. */
  parts: string[]
  /** Imports whose records about contacts still count, and those that were undone. */
  imports: { recording: number[]; undone: number[] }
  /** Events that do not return, as their imports were taken back. */
  goneEvents: EventIds[]
  now: Date
  actor: Actor
}

/**
 * Returns contacts with everything that was theirs, in a transaction under the account's lock of imports. One whose dedup key, or
 * whose value of a unique index, another contact has by now stays deleted. Ends after about a second, so that others who need the
 * lock do not wait: `looked` is how many contacts it came to, at least one. `kept`: the columns of fields as they were. `lost`:
 * values that cannot return.
 */
export async function returnDeleted(
  tx: Db,
  account: AccountId,
  {
    contacts,
    kept,
    pace,
    actor,
  }: { contacts: KeptContacts; kept: readonly KeptField[]; pace: ContactPace; actor: Actor },
): Promise<{ looked: number; returned: number; refused: Missing; lost: Missing }> {
  const now = new Date()
  const returning = await prepare(tx, account, { kept, now, actor })
  const taken = new Set(await selectTakenKeys(tx, account, contacts))
  const { looked, ids, refused: broken, lost } = await returnOrRefuse(tx, returning, { contacts, taken, pace })
  const refused: Missing = []
  if (taken.size > 0) {
    const fields = [...new Set(await bindingDedupColumns(tx, account))]
    const seen = contacts.ids.slice(0, looked).filter((id) => taken.has(id))
    refused.push(...seen.map((contact) => ({ contact, fields, reason: 'key_taken' as const })))
  }
  const tables = [...(await tablesBesideContacts(tx, account)).map(({ table }) => table), 'contacts']
  await deleteKeptRows(tx, account, { ...contacts, ids }, tables)
  await updateWordsMissed(tx, account, now, { ifBuilding: false })
  return { looked, returned: ids.length, refused: [...refused, ...broken], lost }
}

async function prepare(
  tx: Db,
  account: AccountId,
  { kept, now, actor }: { kept: readonly KeptField[]; now: Date; actor: Actor },
): Promise<Returning> {
  const catalogue = await selectCatalogue(tx, account)
  const timeZone = await accountTimeZone(tx, account)
  const fields = returnedFields(kept, catalogue, await selectLastRetypes(tx, account), timeZone)
  const parts = await selectPartTables(tx, account)
  const imports = {
    recording: await selectRecordingImports(tx, account),
    undone: await selectUndoneImports(tx, account),
  }
  const goneEvents = await selectTakenBackEvents(tx, account)
  return { account, catalogue, fields, timeZone, parts, imports, goneEvents, now, actor }
}

type Returned = { looked: number; ids: string[]; refused: Missing; lost: Missing }

// How long others who need the lock wait for it.
const mostMs = 1000

/** Returns the contacts whose keys are free, together where possible, and those that cannot return one by one. */
async function returnOrRefuse(
  tx: Db,
  returning: Returning,
  { contacts, taken, pace }: { contacts: KeptContacts; taken: ReadonlySet<string>; pace: ContactPace },
): Promise<Returned> {
  const end = performance.now() + mostMs
  const done: Returned = { looked: 0, ids: [], refused: [], lost: [] }
  while (done.looked < contacts.ids.length && (done.looked === 0 || performance.now() < end)) {
    const some = contacts.ids.slice(done.looked, done.looked + pace.atOnce)
    const ids = some.filter((id) => !taken.has(id))
    const begun = performance.now()
    const tried = ids.length === 0 ? { lost: [] } : await attempt(tx, returning, { ...contacts, ids })
    if ('lost' in tried) {
      done.ids.push(...ids)
      done.lost.push(...tried.lost)
      pace.took(performance.now() - begun)
    } else {
      if (some.length > 1) {
        pace.failed(some.length)
        continue
      }
      done.refused.push({ contact: some[0] ?? '', ...tried })
    }
    done.looked += some.length
  }
  return done
}

/** Returns the values that are lost; or the reason the contacts cannot be restored, and then nothing is changed. */
async function attempt(
  tx: Db,
  returning: Returning,
  contacts: KeptContacts,
): Promise<{ lost: Missing } | Omit<Missing[number], 'contact'>> {
  try {
    return await inSavepoint(tx, async () => {
      await insertAll(tx, returning, contacts)
      const lost = await returnConverted(tx, returning, contacts)
      await takeBackMissed(tx, returning, contacts.ids)
      return { lost }
    })
  } catch (error) {
    const refused = await refusalOf(tx, returning.account, error)
    if (!refused) throw error
    return refused
  }
}

/** Why a contact cannot get the values that it had; null for any other error. */
export async function refusalOf(
  tx: Db,
  account: AccountId,
  error: unknown,
): Promise<Omit<Missing[number], 'contact'> | null> {
  if (isTooLarge(error)) return { fields: [], reason: 'too_large' }
  if (error instanceof AppError && error.code === 'key_taken') {
    // As thrown by `revertMerge` and `revertReturned`.
    const { fields } = error.details as { fields: string[] }
    return { fields, reason: 'key_taken' }
  }
  const broken = await findBrokenIndex(tx, account, error)
  return broken && { fields: broken.fields, reason: 'value_taken' }
}

async function insertAll(tx: Db, returning: Returning, contacts: KeptContacts): Promise<void> {
  const { account, catalogue, fields, timeZone, parts, imports, goneEvents, now } = returning
  await returnContacts(tx, account, contacts, { columns: fields.columns.get(1) ?? [], now })
  for (const table of parts.filter((each) => each !== 'contacts')) {
    const columns = fields.columns.get(Number(table.replace('contacts_', ''))) ?? []
    await returnPart(tx, account, contacts, { table, columns })
  }
  await returnKeysAndEvents(tx, account, contacts, goneEvents)
  await keepEventFields(tx, account, await selectKeptEventFields(tx, account, contacts))
  const known = catalogue.map(({ id }) => id)
  await returnChanges(tx, account, contacts, known)
  await returnWrittenTexts(tx, account, contacts, { ...fields.written, timeZone })
  await returnImportChanges(tx, account, contacts, imports)
}

/** Takes back what imports and merges wrote in contacts that returned, and that were undone while these were deleted. */
async function takeBackMissed(tx: Db, { account, actor, imports }: Returning, ids: readonly string[]): Promise<void> {
  if (imports.undone.length > 0) await returnMissedValues(tx, account, { ids, edits: laterEdits })
  await revertReturned(tx, { account, actor }, ids)
}

/** Restores values of fields whose type was changed, and returns those that cannot be restored. */
async function returnConverted(
  tx: Db,
  { account, fields, timeZone }: Returning,
  contacts: KeptContacts,
): Promise<Missing> {
  const lost: Missing = []
  for (const { field, kept, reading } of fields.converted) {
    const table = kept.part === 1 ? 'contacts' : `contacts_${kept.part}`
    const column = { table, column: kept.column, type: kept.type, timeZone }
    const sizes = await selectTextSizes(tx, account, contacts, column)
    if (reading === null) {
      lost.push(...sizes.map(({ id }) => ({ contact: id, fields: [field.name], reason: 'retyped' as const })))
      continue
    }
    const to = { column: toContactField(field).columnNo, part: field.part, type: field.type }
    for (const ids of inPages(sizes)) {
      const texts = await selectKeptTexts(tx, account, { ...contacts, ids }, column)
      await convertTexts(tx, { account, reading, timeZone, to }, texts)
    }
  }
  return lost
}

/** Ids of contacts in groups whose texts are few enough to be read at once. */
function inPages(sizes: readonly { id: string; bytes: number }[]): string[][] {
  const pages: string[][] = []
  let left = 0
  for (const { id, bytes } of sizes) {
    if (pages.length === 0 || bytes > left) {
      pages.push([])
      left = mostTextBytes
    }
    pages.at(-1)?.push(id)
    left -= bytes
  }
  return pages
}

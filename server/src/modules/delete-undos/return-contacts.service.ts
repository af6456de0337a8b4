import type { AccountId } from '@portico/contract/accounts'
import type { MissingRecords } from '@portico/contract/deletes'
import { accountTimeZone } from '#accounts'
import { type CatalogueRow, selectCatalogue, selectLastRetypes, selectPartTables, toContactField } from '#contacts'
import {
  deleteKeptRows,
  type KeptContacts,
  type KeptField,
  returnChanges,
  returnContacts,
  returnImportChanges,
  returnKeysAndEvents,
  returnOrNothing,
  returnPart,
  returnWrittenTexts,
  selectKeptTexts,
  selectTakenKeys,
  tablesBesideContacts,
} from '#deletes'
import { convertTexts } from '#fields'
import { bindingDedupColumns, selectRecordingImports } from '#imports'
import { findBrokenIndex } from '#indexes'
import { type Db, isTooLarge } from '#platform/database.ts'
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
  /** Imports whose records about contacts still count. */
  imports: number[]
  now: Date
}

/**
 * Restores contacts with all their data, in a transaction under the account's lock of imports. A contact stays deleted
 * if another contact now has its dedup key or its value of a unique index. `kept`: the columns of fields as they were.
 * `lost`: values that cannot be restored.
 */
export async function returnDeleted(
  tx: Db,
  account: AccountId,
  contacts: KeptContacts,
  kept: readonly KeptField[],
): Promise<{ returned: number; refused: Missing; lost: Missing }> {
  const now = new Date()
  const returning = await prepare(tx, account, kept, now)
  const taken = new Set(await selectTakenKeys(tx, account, contacts))
  const refused: Missing = []
  if (taken.size > 0) {
    const fields = [...new Set(await bindingDedupColumns(tx, account))]
    refused.push(...[...taken].map((contact) => ({ contact, fields, reason: 'key_taken' as const })))
  }
  const free = { ...contacts, ids: contacts.ids.filter((id) => !taken.has(id)) }
  const { ids, refused: broken, lost } = await returnOrRefuse(tx, returning, free)
  const tables = [...(await tablesBesideContacts(tx, account)).map(({ table }) => table), 'contacts']
  await deleteKeptRows(tx, account, { ...contacts, ids }, tables)
  await updateWordsMissed(tx, account, now, { ifBuilding: false })
  return { returned: ids.length, refused: [...refused, ...broken], lost }
}

async function prepare(tx: Db, account: AccountId, kept: readonly KeptField[], now: Date): Promise<Returning> {
  const catalogue = await selectCatalogue(tx, account)
  const timeZone = await accountTimeZone(tx, account)
  const fields = returnedFields(kept, catalogue, await selectLastRetypes(tx, account), timeZone)
  const parts = await selectPartTables(tx, account)
  const imports = await selectRecordingImports(tx, account)
  return { account, catalogue, fields, timeZone, parts, imports, now }
}

type Returned = { ids: string[]; refused: Missing; lost: Missing }

/** Restores all contacts at once or, if an index does not allow that, one by one. */
async function returnOrRefuse(tx: Db, returning: Returning, contacts: KeptContacts): Promise<Returned> {
  const all = await attempt(tx, returning, contacts)
  if ('lost' in all) return { ids: [...contacts.ids], refused: [], lost: all.lost }
  const done: Returned = { ids: [], refused: [], lost: [] }
  for (const id of contacts.ids) {
    const one = await attempt(tx, returning, { ...contacts, ids: [id] })
    if ('lost' in one) {
      done.ids.push(id)
      done.lost.push(...one.lost)
    } else done.refused.push({ contact: id, ...one })
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
    return await returnOrNothing(tx, returning.account, async () => {
      await insertAll(tx, returning, contacts)
      return { lost: await returnConverted(tx, returning, contacts) }
    })
  } catch (error) {
    if (isTooLarge(error)) return { fields: [], reason: 'too_large' }
    const broken = await findBrokenIndex(tx, returning.account, error)
    if (!broken) throw error
    return { fields: broken.fields, reason: 'value_taken' }
  }
}

async function insertAll(tx: Db, returning: Returning, contacts: KeptContacts): Promise<void> {
  const { account, catalogue, fields, timeZone, parts, imports, now } = returning
  await returnContacts(tx, account, contacts, { columns: fields.columns.get(1) ?? [], now })
  for (const table of parts.filter((each) => each !== 'contacts')) {
    const columns = fields.columns.get(Number(table.replace('contacts_', ''))) ?? []
    await returnPart(tx, account, contacts, { table, columns })
  }
  await returnKeysAndEvents(tx, account, contacts)
  const known = catalogue.map(({ id }) => id)
  await returnChanges(tx, account, contacts, known)
  await returnWrittenTexts(tx, account, contacts, { ...fields.written, timeZone })
  await returnImportChanges(tx, account, contacts, imports)
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
    const texts = await selectKeptTexts(tx, account, contacts, column)
    if (reading === null) {
      lost.push(...texts.map(({ id }) => ({ contact: id, fields: [field.name], reason: 'retyped' as const })))
      continue
    }
    const to = { column: toContactField(field).columnNo, part: field.part, type: field.type }
    await convertTexts(tx, { account, reading, timeZone, to }, texts)
  }
  return lost
}

import { commonType, type FieldType } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import { type FieldFormat, plainFormat } from '@portico/domain/field-format'
import { findByName } from '@portico/domain/names'
import { accountTimeZone, countUpFieldsVersion } from '#accounts'
import { BoundedMap } from '#platform/memory/bounded-map.ts'
import { type Db, inTransaction, setLocally } from '#platform/database.ts'
import {
  addColumn,
  columnName,
  createPart,
  type FieldRow,
  insertField,
  partTable,
  selectFields,
  lockLastFieldNumber,
  updateLastFieldNumber,
  updateFieldType,
  widenColumn,
} from './fields.queries.ts'
import { widenWrittenTexts } from './written-texts.queries.ts'

/** A column of contact data: its name as users see it, and the location of its values. */
export type ContactField = {
  id: number
  name: string
  type: FieldType
  /** Table within the account's schema: `contacts`, `contacts_2`, … */
  table: string
  /** Physical column within that table. */
  column: string
  /** The number of the column: the field's own until its type is changed. */
  columnNo: number
  /** How numbers are shown; absent for the default, with separators. */
  format?: FieldFormat
}

// 300 columns of at most 24 bytes (longer values can be moved out of the row) stay below PostgreSQL's 8 kB page.
export const columnsPerPart = 300

type KeptFields = { version: number; fields: ContactField[] }

/** Field catalogs cached by this process, by database. */
const kept = new WeakMap<Db, BoundedMap<AccountId, KeptFields>>()
const keptAtMost = 200

/**
 * The field catalog of an account. Given its version, which is read along with the caller's permissions, the catalog is
 * cached until the version changes.
 */
export async function listContactFields(db: Db, account: AccountId, version?: number): Promise<ContactField[]> {
  const ofDatabase = kept.get(db) ?? new BoundedMap<AccountId, KeptFields>(keptAtMost)
  const known = ofDatabase.get(account)
  if (version !== undefined && known?.version === version) return known.fields
  const fields = (await selectFields(db, account)).map(toContactField)
  if (version === undefined) return fields
  kept.set(db, ofDatabase)
  ofDatabase.set(account, { version, fields })
  return fields
}

/**
 * Makes sure that each wanted field exists and can hold the wanted type. Returns them in the order wanted. A field that
 * exists with another type is widened (`commonType`): days become midnights in the account's time zone, anything else
 * becomes text. `type: null` takes a field as it is, and creates a missing one as text. Runs in a transaction: all or
 * nothing. Changing a table waits for exports that read it, while searches queue up behind the change. It therefore
 * gives up after two seconds (`isLockTimeout`), and the caller retries.
 */
export async function ensureFields(
  db: Db,
  account: AccountId,
  wanted: readonly { name: string; type: FieldType | null }[],
): Promise<ContactField[]> {
  return inTransaction(db, async (tx) => {
    await setLocally(tx, 'lock_timeout', '2s')
    const before = await selectFields(tx, account)
    const find = findByName(before, ({ name }) => name)
    const last = await lockLastFieldNumber(tx, account)
    let nextId = last + 1
    const fields: FieldRow[] = []
    for (const { name, type } of wanted) {
      const field = find(name)
      if (!field) fields.push(await addField(tx, account, nextId++, name, type ?? 'string'))
      else if (type !== null && type !== field.type) fields.push(await widenField(tx, account, field, type))
      else fields.push(field)
    }
    if (nextId - 1 > last) await updateLastFieldNumber(tx, account, nextId - 1)
    if (fields.some((field) => !before.includes(field))) await countUpFieldsVersion(tx, account)
    return fields.map(toContactField)
  })
}

/** Reserves the next free number for a column, which then no field gets, and creates its table if needed. */
export async function nextColumn(tx: Db, account: AccountId): Promise<{ column: number; part: number }> {
  const column = (await lockLastFieldNumber(tx, account)) + 1
  await updateLastFieldNumber(tx, account, column)
  return { column, part: Math.ceil(column / columnsPerPart) }
}

async function addField(db: Db, account: AccountId, id: number, name: string, type: FieldType): Promise<FieldRow> {
  const part = Math.ceil(id / columnsPerPart)
  const field = { id, name, type, part, column_no: null, format: null, has_codes: false }
  if (part > 1) await createPart(db, account, part)
  await addColumn(db, account, field)
  await insertField(db, account, field)
  return field
}

async function widenField(db: Db, account: AccountId, field: FieldRow, wanted: FieldType): Promise<FieldRow> {
  const type = commonType(field.type, wanted)
  if (type === field.type) return field
  // The common type of two types is one of these two.
  const wider = type === 'date' ? type : 'string'
  const timeZone = await accountTimeZone(db, account)
  await widenColumn(db, account, field, { type: wider, timeZone })
  await widenWrittenTexts(db, account, field, { type: wider, timeZone })
  await updateFieldType(db, account, field.id, wider)
  return { ...field, type: wider }
}

/** The format of a field; null for the default. */
export const shownFormat = ({ type, format, has_codes: hasCodes }: Pick<FieldRow, 'format' | 'has_codes' | 'type'>) =>
  type === 'number' ? (format ?? (hasCodes ? plainFormat : null)) : null

/** Converts a row of the catalog to the field as other modules know it. */
export function toContactField(row: FieldRow): ContactField {
  const { id, name, type, part, column_no: number } = row
  const shown = shownFormat(row)
  return {
    id,
    name,
    type,
    table: partTable(part),
    column: columnName(row),
    columnNo: number ?? id,
    ...(shown && { format: shown }),
  }
}

import type { AccountId } from '@portico/contract/accounts'
import type { ColumnReading } from '@portico/contract/imports'
import {
  type ContactField,
  type ContactText,
  deleteWrittenTexts,
  type FilledColumn,
  fillColumn,
  insertWrittenTexts,
  normalizeTexts,
  selectContactTexts,
} from '#contacts'
import { type Db, setLocally } from '#platform/database.ts'
import { textReader } from './type-values.ts'

/** The field that is read, how it is read, and the column for the values. Days begin in the time zone. */
export type Conversion = {
  account: AccountId
  field: ContactField
  reading: ColumnReading
  timeZone: string
  to: FilledColumn
}

// Contacts per transaction, unless their texts are long: few enough that a person who edits one of them hardly waits.
const contactsAtOnce = 500

/** Converts the next contacts in the order of their ids. `last`: the id of the last one; null if there was none. */
export async function convertNext(
  tx: Db,
  conversion: Conversion,
  after: string,
): Promise<{ contacts: number; kept: number; last: string | null }> {
  const { account, field, timeZone } = conversion
  const contacts = await selectContactTexts(tx, account, field, { timeZone, after, limit: contactsAtOnce })
  const filled = contacts.filter(({ text }) => text !== null)
  return {
    contacts: contacts.length,
    kept: await convertTexts(tx, conversion, filled),
    last: contacts.at(-1)?.id ?? null,
  }
}

/**
 * Converts the next of these contacts again, whatever they had before, in the order of their ids. Returns the id of the last one;
 * null if there was none.
 */
export async function convertSome(
  tx: Db,
  conversion: Conversion,
  ids: readonly string[],
  after: string,
): Promise<string | null> {
  if (ids.length === 0) return null
  const { account, field, timeZone, to } = conversion
  const contacts = await selectContactTexts(tx, account, field, { timeZone, ids, after, limit: contactsAtOnce })
  const read = contacts.map(({ id }) => id)
  await deleteWrittenTexts(tx, account, to.column, read)
  await convertTexts(tx, conversion, contacts)
  return read.at(-1) ?? null
}

/** Writes texts of contacts into a column as the reading reads them, and keeps those that differ. Returns how many it kept. */
export async function convertTexts(
  tx: Db,
  { account, reading, timeZone, to }: Omit<Conversion, 'field'>,
  contacts: readonly ContactText[],
): Promise<number> {
  const read = textReader(reading, timeZone)
  const values = contacts.map((contact) => read(contact))
  await setLocally(tx, 'TimeZone', timeZone)
  const normalized = await normalizeTexts(
    tx,
    to.type,
    values.filter((value) => value !== null),
  )
  let next = 0
  const converted = contacts.map(({ id, text }, at) => ({
    id,
    text,
    value: values[at] === null ? null : (normalized[next++] ?? null),
  }))
  await fillColumn(tx, account, to, converted)
  const kept = converted.flatMap(({ id, text, value }) =>
    text === null || text === value ? [] : [{ contact: id, written: text, readAs: value }],
  )
  await insertWrittenTexts(tx, account, to.column, kept)
  return kept.length
}

import { isCustomFieldName, maxCustomFields } from '@portico/contract/events'
import { eventFields } from '@portico/contract/filter'
import type { FieldType } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import { foldName, listContactFields } from '#contacts'
import type { Db } from '#platform/database.ts'
import { mapColumns } from '../import-plan.ts'
import { FileRefused } from '../reading/source-text-refused.ts'

/** What contacts are found by: their id, their PURL, or a field. */
export type KeyField =
  | { by: '_id' | 'purl'; name: string; type: 'string' }
  | { by: 'field'; name: string; type: FieldType; table: string; column: string }

/** A field of an event. */
export type EventFieldName = keyof typeof eventFields

/** A column of the file that becomes part of the event: one of an event's usual fields, or one of the application's own. */
export type EventColumn = {
  position: number
  field: { type: FieldType } & ({ of: 'event'; name: EventFieldName } | { of: 'details'; name: string })
}

/** How a file of events is loaded, decided once after it was read once: see `ImportPlan`, which is that of contacts. */
export type EventPlan = {
  path: 'events'
  /** Rows of the file that can be events, if their contacts are there. */
  rows: number
  /** Rows that were set aside already. */
  setAside: number
  fileColumns: number
  groupStarts: number[]
  /** What is staged typed: the key, and the columns of events. */
  columns: { position: number; field: { name: string; type: FieldType } }[]
  key: { position: number; field: KeyField }
  events: EventColumn[]
  /** The account had no events: what finds them by contact is built after loading, which is a good deal faster. */
  buildsIndexes: boolean
}

/** What contacts can be found by under a name; null when there is nothing of that name. */
export async function findKeyField(db: Db, account: AccountId, name: string): Promise<KeyField | null> {
  const own = (['_id', 'purl'] as const).find((key) => foldName(key) === foldName(name))
  if (own) return { by: own, name: own, type: 'string' }
  const field = (await listContactFields(db, account)).find((one) => foldName(one.name) === foldName(name))
  return field ? { by: 'field', name: field.name, type: field.type, table: field.table, column: field.column } : null
}

/** Where the key stands in the file. @throws FileRefused when it is not there */
export function keyPosition(header: readonly string[], row: { key_column: string | null }): number {
  const position = header.findIndex((name) => foldName(name) === foldName(row.key_column ?? ''))
  if (position === -1) throw new FileRefused(`The key column "${row.key_column}" is not a column of the file.`)
  return position
}

/**
 * What becomes of the columns of a file, the key's apart. Types of own fields are settled later.
 * @throws FileRefused naming the column that cannot be, or the field that no column feeds
 */
export function eventColumns(
  header: readonly string[],
  key: number,
  mapping: Record<string, string | null> | null,
): EventColumn[] {
  const keyName = header[key] ?? ''
  const names = mapColumns(header, { ...mapping, [keyName]: null }, 'events')
  const columns = names.flatMap((name, position): EventColumn[] => {
    if (name === null) return []
    const known = foldName(name)
    if (isEventField(known)) return [{ position, field: { of: 'event', name: known, type: eventFields[known] } }]
    if (!isCustomFieldName(name)) {
      const problem = `Column ${position + 1} is named "${name}", which no field of an event can be.`
      throw new FileRefused(`${problem} Map it to another name, or leave it out.`)
    }
    return [{ position, field: { of: 'details', name, type: 'string' } }]
  })
  const required: EventFieldName[] = ['event_code', 'event_date']
  for (const name of required) {
    if (columns.some(({ field }) => field.of === 'event' && field.name === name)) continue
    throw new FileRefused(`No column of the file is "${name}". Map the one that says it.`)
  }
  const own = columns.filter(({ field }) => field.of === 'details').length
  if (own > maxCustomFields) {
    throw new FileRefused(
      `The file has ${own} columns besides those of an event; it may have ${maxCustomFields}. Leave some out.`,
    )
  }
  return columns
}

const isEventField = (name: string): name is EventFieldName => Object.hasOwn(eventFields, name)

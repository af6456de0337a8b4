import { isCustomFieldName, maxCustomFields } from '@portico/contract/events'
import { findEventField } from '@portico/domain/event-fields'
import { eventFields } from '@portico/contract/filter'
import type { FieldType } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import { findByName, isSameName } from '@portico/domain/names'
import { listContactFields } from '#contacts'
import type { Db } from '#platform/database.ts'
import { mapColumns, type PlannedMisfits } from '../import-plan.ts'
import { FileRefused } from '../reading/source-text-refused.ts'

/** Key that finds contacts: their id, their PURL, or a field. */
export type KeyField =
  | { by: '_id' | 'purl'; name: string; type: 'string' }
  | { by: 'field'; name: string; type: FieldType; table: string; column: string }

/** Field of an event. */
export type EventFieldName = keyof typeof eventFields

/** Column of the file that feeds a field of an event, standard or custom. */
export type EventColumn = {
  position: number
  field: { type: FieldType } & ({ of: 'event'; name: EventFieldName } | { of: 'details'; name: string })
}

/** Plan for loading a file of events, made once after the first read; see `ImportPlan` for contacts. */
export type EventPlan = {
  path: 'events'
  /** Rows of the file that become events if their contacts exist. */
  rows: number
  /** Rows already set aside. */
  setAside: number
  fileColumns: number
  groupStarts: number[]
  /** Columns staged with a type: the key and the event's columns. */
  columns: { position: number; field: { name: string; type: FieldType } }[]
  key: { position: number; field: KeyField }
  events: EventColumn[]
  /** True when the account had no events: the index by contact is then built after loading, which is much faster. */
  buildsIndexes: boolean
  /** As in `ImportPlan`. */
  skipsEmptyRows?: true
  /** Values of `is_trigger` that are not booleans; plans of earlier releases lack this, and set their rows aside. */
  misfits?: PlannedMisfits
  /** Time zone of the account; plans of earlier releases lack it, and accepted moments of any year. */
  timeZone?: string
}

/** Returns the key field with a name; null if there is none. */
export async function findKeyField(db: Db, account: AccountId, name: string): Promise<KeyField | null> {
  const own = (['_id', 'purl'] as const).find((key) => isSameName(key, name))
  if (own) return { by: own, name: own, type: 'string' }
  const field = findByName(await listContactFields(db, account), (one) => one.name)(name)
  return field ? { by: 'field', name: field.name, type: field.type, table: field.table, column: field.column } : null
}

/** Returns the position of the key column in the file. @throws FileRefused if it is missing */
export function keyPosition(header: readonly string[], row: { key_column: string | null }): number {
  const position = header.findIndex((name) => isSameName(name, row.key_column ?? ''))
  if (position === -1) throw new FileRefused(`The key column "${row.key_column}" is not a column of the file.`)
  return position
}

/**
 * Maps the columns of a file, except the key column. Types of custom fields are set later.
 * @throws FileRefused naming the column that cannot be mapped, or the field that no column feeds
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
    const known = findEventField(name)
    if (known) return [{ position, field: { of: 'event', name: known, type: eventFields[known] } }]
    if (!isCustomFieldName(name)) {
      const problem = `Column ${position + 1} is named "${name}", which is not a valid event field.`
      throw new FileRefused(`${problem} Map it to another name, or leave it out.`)
    }
    return [{ position, field: { of: 'details', name, type: 'string' } }]
  })
  const required: EventFieldName[] = ['event_code', 'event_date']
  for (const name of required) {
    if (columns.some(({ field }) => field.of === 'event' && field.name === name)) continue
    throw new FileRefused(`No column of the file is "${name}". Map a column to it.`)
  }
  const own = columns.filter(({ field }) => field.of === 'details').length
  if (own > maxCustomFields) {
    throw new FileRefused(
      `The file has ${own} custom columns; at most ${maxCustomFields} can be imported. Leave some out.`,
    )
  }
  return columns
}

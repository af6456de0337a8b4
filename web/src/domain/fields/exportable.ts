import type { Field, internalFieldNames } from '@portico/contract/contacts'
import type { ExportDelimiter } from '@portico/contract/exports'
import { eventFields } from '@portico/contract/filter'
import { useMemo } from 'react'
import { useOwnEventFields } from './own-event-fields.ts'

export const delimiterNames: Record<ExportDelimiter, string> = {
  csv: 'Comma (.csv)',
  tab: 'Tab (.txt)',
  pipe: 'Pipe (.txt)',
  semicolon: 'Semicolon (.csv)',
  xlsx: 'Excel workbook (.xlsx)',
}

export const delimiterOptions = Object.entries(delimiterNames).map(([value, label]) => ({ value, label }))

/** Generated values of a contact that can be exported, listed after the fields. */
const exportableInternals = [
  'purl',
  'basePurl',
  'purlNumber',
  'Import',
  '_id',
] satisfies (typeof internalFieldNames)[number][]

/** Left out when all are selected (specification 3 §7): parts of the PURL, and fields that give each event a row. */
const leftOutOfAll: readonly string[] = ['basePurl', 'purlNumber']

const eventField = (name: string): string => `events.${name}`

/** With one of these, the file has a row for each event. */
export const isEventField = (name: string): boolean => name.startsWith('events.')

/** Whether Select all includes a name. */
export const isSelectedWithAll = (name: string): boolean => !isEventField(name) && !leftOutOfAll.includes(name)

/** Everything that can be exported; `eventNames` are the fields that applications have recorded with events. */
export const exportableNames = (fields: readonly Field[], eventNames: readonly string[]): string[] => [
  ...fields.map(({ name }) => name),
  ...exportableInternals,
  ...[...Object.keys(eventFields), ...eventNames].map(eventField),
]

/** Everything that an export of the account's contacts can contain, as far as known yet. */
export function useExportableNames(fields: readonly Field[]): string[] {
  const { data: eventNames } = useOwnEventFields()
  return useMemo(() => exportableNames(fields, eventNames ?? []), [fields, eventNames])
}

import type { UseFormReturnType } from '@mantine/form'
import type { Field } from '@portico/contract/contacts'
import { isCustomFieldName, maxCustomFields } from '@portico/contract/events'
import { eventFields } from '@portico/contract/filter'
import { type BatchSize, type ImportDelimiter, type NewEventImport, recipientsProblem } from '@portico/contract/imports'
import { JobName } from '@portico/contract/jobs'
import { messages } from '@portico/contract/messages'
import { eventFieldName } from '@portico/domain/event-fields'
import { foldName, isSameName } from '@portico/domain/names'
import { z } from 'zod'
import type { batchSizes } from '../new-import/new-import-rules.ts'
import type { Step } from '../steps/use-steps.ts'
import { withGuesses } from './guessed-targets.ts'

/** Values of the form of an event import, except its file. */
export type EventImportValues = {
  name: string
  fileDelimiter: ImportDelimiter
  processBatchSize: (typeof batchSizes)[number]
  keyColumn: string
  keyField: string
  typeCasting: boolean
  notificationEmails: string[]
  /** File column → its target; '' leaves it out. Columns not listed keep their names. */
  columnMapping: Record<string, string>
}

export const initialEventValues: EventImportValues = {
  name: '',
  fileDelimiter: 'comma',
  processBatchSize: '100',
  keyColumn: '',
  keyField: '',
  typeCasting: true,
  notificationEmails: [],
  columnMapping: {},
}

/** Fields that identify contacts. */
export const ownKeys = ['_id', 'purl']

/** The fields that every event has, in the order in which they are offered. */
export const eventFieldNames = Object.keys(eventFields)

/**
 * Schema of the form; `takenNames` are the folded names of imports. If the fields are unknown, the server checks
 * whether contacts have the field named.
 */
export function eventImportSchema(takenNames: ReadonlySet<string>, fields: readonly Field[] | undefined) {
  const keys = fields && new Set([...ownKeys, ...fields.map(({ name }) => name)].map(foldName))
  return z.object({
    name: JobName.refine((name) => !takenNames.has(foldName(name)), messages.duplicate),
    keyColumn: z.string().trim().min(1, messages.required),
    keyField: z
      .string()
      .trim()
      .min(1, messages.required)
      .refine((name) => !keys || keys.has(foldName(name)), 'Contacts have no field of this name.'),
    notificationEmails: z.array(z.string()).superRefine((emails, context) => {
      const message = recipientsProblem(emails)
      if (message !== null) context.addIssue({ code: 'custom', message })
    }),
  })
}

/** Target of a file column; '' if it is left out. */
export const targetOf = (column: string, mapping: Record<string, string>): string =>
  eventFieldName(mapping[column] ?? (eventFieldNames.includes(foldName(column)) ? foldName(column) : column))

export type MappingProblems = { missing: string | null; columns: Record<string, string> }

/** Problems of the column mapping, except the key's. */
export function eventMappingProblems(
  columns: readonly string[],
  chosen: Pick<EventImportValues, 'keyColumn' | 'columnMapping'>,
): MappingProblems {
  const { keyColumn } = chosen
  const columnMapping = withGuesses(columns, chosen)
  const others = columns.filter((column) => foldName(column) !== foldName(keyColumn))
  const targets = others.map((column) => foldName(targetOf(column, columnMapping)))
  const problems: Record<string, string> = {}
  others.forEach((column, at) => {
    const target = targetOf(column, columnMapping)
    if (target === '') return
    if (targets.indexOf(foldName(target)) < at) problems[column] = messages.duplicate
    else if (!eventFieldNames.includes(foldName(target)) && !isCustomFieldName(target))
      problems[column] = messages.notAllowed
  })
  const missing = ['event_code', 'event_date'].filter((name) => !targets.includes(name))
  const own = targets.filter((target) => target !== '' && !eventFieldNames.includes(target)).length
  return {
    missing:
      missing.length > 0
        ? `Map a column to ${missing.join(' and ')}.`
        : own > maxCustomFields
          ? `At most ${maxCustomFields} columns can be custom fields. Leave some out.`
          : null,
    columns: problems,
  }
}

/** Step of each field of the form; other fields that the server may name belong to the options. */
export function stepOfEvents(field: string): Step {
  if (['name', 'filePath', 'fileSheet', 'fileDelimiter'].includes(field)) return 'file'
  return ['keyColumn', 'keyField', 'columnMapping'].some((one) => field.startsWith(one)) ? 'match' : 'options'
}

/** The columns that an import records, with the fields of the event that they become: the key first. */
export function reviewedColumns(
  columns: readonly string[],
  chosen: Pick<EventImportValues, 'keyColumn' | 'keyField' | 'columnMapping'>,
): { target: string; position: number }[] {
  const { keyColumn, keyField } = chosen
  const columnMapping = withGuesses(columns, chosen)
  const key = columns.findIndex((column) => isSameName(column, keyColumn))
  const others = columns.flatMap((column, position) => {
    const target = position === key ? '' : targetOf(column, columnMapping)
    return target === '' ? [] : [{ target, position }]
  })
  return [...(key < 0 ? [] : [{ target: `Contact (${keyField})`, position: key }]), ...others]
}

/** Guesses a file's key from a name that a column and a field share: ids and PURLs first, then indexed fields. */
export function guessKey(
  columns: readonly string[],
  fields: readonly Field[],
): { column: string; field: string } | null {
  const indexed = fields.toSorted((one, other) => Number(other.isIndexed) - Number(one.isIndexed))
  for (const field of [...ownKeys, ...indexed.map(({ name }) => name)]) {
    const column = columns.find((name) => foldName(name) === foldName(field))
    if (column !== undefined) return { column, field }
  }
  return null
}

/** The body of the call, for a file that was uploaded under `filePath`. `columns` are the file's, if known. */
export function toNewEventImport(
  values: EventImportValues,
  filePath: string,
  columns: readonly string[] | null,
): NewEventImport {
  const { name, processBatchSize, notificationEmails, columnMapping: _chosen, keyColumn, keyField, ...others } = values
  const mapped = Object.entries(withGuesses(columns ?? [], values)).filter(
    ([column]) => foldName(column) !== foldName(keyColumn) && (columns === null || columns.includes(column)),
  )
  return {
    ...others,
    kind: 'events',
    name: name.trim(),
    filePath,
    keyColumn: keyColumn.trim(),
    keyField: keyField.trim(),
    // The form offers only the contract's sizes.
    processBatchSize: Number(processBatchSize) as z.input<typeof BatchSize>,
    ...(notificationEmails.length > 0 && { notificationEmails }),
    ...(mapped.length > 0 && {
      columnMapping: Object.fromEntries(mapped.map(([column, target]) => [column, target.trim() || null])),
    }),
  }
}

export type EventForm = UseFormReturnType<EventImportValues>

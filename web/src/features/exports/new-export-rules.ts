import type { Field, internalFieldNames } from '@portico/contract/contacts'
import { ExportDelimiter, type NewExport } from '@portico/contract/exports'
import { eventFields } from '@portico/contract/filter'
import { JobName } from '@portico/contract/jobs'
import { z } from 'zod'
import { emptyFilter, type Filter, matchStagesOf } from '#filter-builder'
import { checkDraft, type NotificationRow } from './notification-drafts.ts'

export const delimiterNames: Record<ExportDelimiter, string> = {
  csv: 'Comma (.csv)',
  tab: 'Tab (.txt)',
  pipe: 'Pipe (.txt)',
}

/** Parts of a contact that the portal made and that can be exported, after the fields. */
const exportableInternals = [
  'purl',
  'basePurl',
  'purlNumber',
  'Import',
  '_id',
] satisfies (typeof internalFieldNames)[number][]

/** With one of these the file has a row for each event. */
const exportableEventFields = Object.keys(eventFields).map((name) => `events.${name}`)

export const isEventField = (name: string): boolean => name.startsWith('events.')

/** So many fields are chosen when the dialog opens (specification 3 §9). */
const preselected = 7

export type NewExportValues = {
  name: string
  delimiter: ExportDelimiter
  shouldZip: boolean
  exportFields: string[]
  filter: Filter
  notifications: NotificationRow[]
}

export const initialValues = (fields: Field[]): NewExportValues => ({
  name: '',
  delimiter: 'csv',
  shouldZip: false,
  exportFields: fields.slice(0, preselected).map(({ name }) => name),
  filter: emptyFilter,
  notifications: [],
})

export const exportableNames = (fields: Field[]): string[] => [
  ...fields.map(({ name }) => name),
  ...exportableInternals,
  ...exportableEventFields,
]

export const foldName = (name: string): string => name.trim().toLowerCase()

const required = 'Value is required!'

/** What the form has to fulfil, with the texts of specification 3 §5. `takenNames` in lower case. */
export const newExportSchema = (takenNames: ReadonlySet<string>) =>
  z.object({
    name: JobName.refine((name) => !takenNames.has(foldName(name)), 'Value is duplicate!'),
    delimiter: ExportDelimiter,
    shouldZip: z.boolean(),
    exportFields: z.array(z.string()).min(1, required),
  })

/** The body of the call. */
export function toNewExport(values: NewExportValues): NewExport {
  const { name, delimiter, shouldZip, exportFields, filter } = values
  const stages = matchStagesOf(filter)
  const notifications = values.notifications.flatMap(({ draft }) => checkDraft(draft).notification ?? [])
  return {
    name: name.trim(),
    delimiter,
    exportFields,
    ...(shouldZip && { shouldZip }),
    ...(stages.length > 0 && { aggregateQuery: JSON.stringify(stages) }),
    ...(notifications.length > 0 && { notifications }),
  }
}

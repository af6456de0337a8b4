import type { Field } from '@portico/contract/contacts'
import { ExportDelimiter, isForSpreadsheets, type NewExport } from '@portico/contract/exports'
import { JobName } from '@portico/contract/jobs'
import { foldName } from '@portico/domain/names'
import { messages } from '@portico/contract/messages'
import { formatPipeline } from '@portico/domain/pipeline/pipeline-json'
import { z } from 'zod'
import { emptyFilter, type Filter } from '#domain/filters'
import { exportStagesOf } from './exported-rows.ts'
import { checkDraft, type NotificationRow } from './notification-drafts.ts'

/** Number of fields chosen when the dialog opens (specification 3 §9). */
const preselected = 7

export type NewExportValues = {
  name: string
  delimiter: ExportDelimiter
  shouldZip: boolean
  byteOrderMark: boolean
  exportFields: string[]
  filter: Filter
  notifications: NotificationRow[]
}

export const initialValues = (fields: Field[]): NewExportValues => ({
  name: '',
  delimiter: 'csv',
  shouldZip: false,
  byteOrderMark: isForSpreadsheets('csv'),
  exportFields: fields.slice(0, preselected).map(({ name }) => name),
  filter: emptyFilter,
  notifications: [],
})

const { required, duplicate } = messages

/** Problems of the form, with the texts of specification 3 §5. `takenNames` are folded. */
export const newExportSchema = (takenNames: ReadonlySet<string>) =>
  z.object({
    name: JobName.refine((name) => !takenNames.has(foldName(name)), duplicate),
    delimiter: ExportDelimiter,
    shouldZip: z.boolean(),
    byteOrderMark: z.boolean(),
    exportFields: z.array(z.string()).min(1, required),
  })

/** The body of the call. `columns` are the groups' columns, if the filter groups. */
export function toNewExport(values: NewExportValues, columns: string[] | null = null): NewExport {
  const { name, delimiter, shouldZip, byteOrderMark, filter } = values
  const exportFields = columns ?? values.exportFields
  const stages = exportStagesOf(filter)
  const notifications = values.notifications.flatMap(({ draft }) => checkDraft(draft).notification ?? [])
  return {
    name: name.trim(),
    delimiter,
    exportFields,
    ...(shouldZip && { shouldZip }),
    ...(byteOrderMark !== isForSpreadsheets(delimiter) && { byteOrderMark }),
    ...(stages.length > 0 && { aggregateQuery: formatPipeline(stages) }),
    ...(notifications.length > 0 && { notifications }),
  }
}

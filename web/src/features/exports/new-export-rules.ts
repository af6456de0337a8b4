import type { Field, internalFieldNames } from '@portico/contract/contacts'
import { ExportDelimiter, type NewExport } from '@portico/contract/exports'
import { JobName } from '@portico/contract/jobs'
import { z } from 'zod'
import { type Condition, type ConditionField, operators, stagesOf, typeOf, valueProblem } from './conditions.ts'

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

/** So many fields are chosen when the dialog opens (specification 3 §9). */
const preselected = 7

export type NewExportValues = {
  name: string
  delimiter: ExportDelimiter
  exportFields: string[]
  conditions: Condition[]
}

export const initialValues = (fields: Field[]): NewExportValues => ({
  name: '',
  delimiter: 'csv',
  exportFields: fields.slice(0, preselected).map(({ name }) => name),
  conditions: [],
})

export const exportableNames = (fields: Field[]): string[] => [
  ...fields.map(({ name }) => name),
  ...exportableInternals,
]

export const foldName = (name: string): string => name.trim().toLowerCase()

const required = 'Value is required!'

/** What the form has to fulfil, with the texts of specification 3 §5. `takenNames` in lower case. */
export function newExportSchema(takenNames: ReadonlySet<string>, fields: ConditionField[]) {
  const ConditionSchema = z
    .object({ key: z.string(), field: z.string(), operator: z.enum(operators), value: z.string() })
    .superRefine((condition, context) => {
      if (condition.field === '') {
        context.addIssue({ code: 'custom', path: ['field'], message: required })
        return
      }
      const message = valueProblem(condition, typeOf(condition, fields))
      if (message) context.addIssue({ code: 'custom', path: ['value'], message })
    })
  return z.object({
    name: JobName.refine((name) => !takenNames.has(foldName(name)), 'Value is duplicate!'),
    delimiter: ExportDelimiter,
    exportFields: z.array(z.string()).min(1, required),
    conditions: z.array(ConditionSchema),
  })
}

/** The body of the call. */
export function toNewExport(values: NewExportValues, fields: ConditionField[]): NewExport {
  const { name, delimiter, exportFields, conditions } = values
  const stages = stagesOf(conditions, fields)
  return {
    name: name.trim(),
    delimiter,
    exportFields,
    ...(stages.length > 0 && { aggregateQuery: JSON.stringify(stages) }),
  }
}

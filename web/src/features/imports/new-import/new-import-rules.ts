import {
  type BatchSize,
  ColumnTypes,
  type Import,
  type ImportDefaults,
  ImportDelimiter,
  maxDedupColumns,
  maxPurlColumns,
  MismatchByField,
  type MismatchChoice,
  type NewImport,
  PurlScope,
  recipientsProblem,
} from '@portico/contract/imports'
import { JobName } from '@portico/contract/jobs'
import { foldName } from '@portico/domain/names'
import { messages } from '@portico/contract/messages'
import { z } from 'zod'
import type { StartingPoint } from '../imports-queries.ts'
import type { ColumnMapping } from './column-mapping.ts'
import { missingColumns } from './file-header.ts'
import type { Step } from '../steps/use-steps.ts'

export const delimiterNames: Record<ImportDelimiter, string> = {
  comma: 'Comma',
  tab: 'Tab',
  pipe: 'Pipe',
  semicolon: 'Semicolon',
}
export const mismatchTexts: Record<MismatchChoice, string> = {
  cell: 'Leave these cells out',
  row: 'Set the rows aside',
  text: 'Make the field text',
}
export const scopeNames: Record<PurlScope, string> = { account: 'Account Level', import: 'Import Level' }
/** In thousands of records. */
export const batchSizes = ['25', '50', '75', '100'] as const

/** Values of the form, except its file. */
export type NewImportValues = {
  name: string
  generatePURL: boolean
  dedupHashMatching: boolean
  exportOnImportCompletion: boolean
  typeCasting: boolean
  processBatchSize: (typeof batchSizes)[number]
  fileDelimiter: ImportDelimiter
  purlGenerationScope: PurlScope
  latitudeColumn: string
  longitudeColumn: string
  purlColumns: string[]
  dedupColumns: string[]
  notificationEmails: string[]
  columnMapping: ColumnMapping
  onMismatchByField: MismatchByField
  columnTypes: ColumnTypes
}

/**
 * The initial values (specification 3 §3): inherited from the most recent import except for its name; the first import
 * has the account's defaults. Settings that an earlier import has fixed are taken from that import.
 */
export function initialValues({ latest, binding, defaults }: StartingPoint): NewImportValues {
  const values = inheritedValues(latest, defaults)
  if (!binding) return values
  const fixed = {
    ...values,
    generatePURL: binding.generatePURL,
    dedupHashMatching: binding.dedupHashMatching,
    ...(binding.purlGenerationScope === 'import' && { purlGenerationScope: binding.purlGenerationScope }),
  }
  return { ...fixed, ...withSettledColumns(fixed, binding) }
}

function inheritedValues(latest: Import | null, defaults: ImportDefaults | null): NewImportValues {
  const { purlColumns = [], dedupColumns = [], notificationEmails = [] } = latest ?? defaults ?? {}
  return {
    name: '',
    generatePURL: latest?.generatePURL ?? true,
    dedupHashMatching: latest?.dedupHashMatching ?? false,
    exportOnImportCompletion: latest?.exportOnImportCompletion ?? false,
    typeCasting: latest?.typeCasting ?? true,
    processBatchSize: batchSizes.find((size) => Number(size) === latest?.processBatchSize) ?? '100',
    fileDelimiter: latest?.fileDelimiter ?? 'comma',
    purlGenerationScope: latest?.purlGenerationScope ?? 'account',
    latitudeColumn: latest?.latitudeColumn ?? '',
    longitudeColumn: latest?.longitudeColumn ?? '',
    purlColumns,
    dedupColumns,
    notificationEmails,
    columnMapping: {},
    onMismatchByField: {},
    columnTypes: {},
  }
}

/** The hint at a field that an earlier import has fixed. */
export const lockedHint = 'Cannot be changed anymore'

export type Locks = {
  generatePURL: boolean
  dedupHashMatching: boolean
  purlGenerationScope: boolean
  purlColumns: boolean
  dedupColumns: boolean
}

/** Settings fixed by earlier imports (specification 3 §4); see `StartingPoint`. */
export function locksOf(binding: Import | null, values: Pick<NewImportValues, 'purlGenerationScope'>): Locks {
  const sharesAccount = binding?.purlGenerationScope === 'account' && values.purlGenerationScope === 'account'
  return {
    generatePURL: binding !== null,
    dedupHashMatching: binding !== null,
    purlGenerationScope: binding !== null && binding.purlGenerationScope !== 'account',
    purlColumns: sharesAccount && binding.purlColumns.length > 0,
    dedupColumns: sharesAccount && binding.dedupColumns.length > 0,
  }
}

/**
 * Values after a change of the scope: back at account level, the columns of the account's imports apply again,
 * regardless of those chosen for the import level meanwhile.
 */
export function withSettledColumns(values: NewImportValues, binding: Import | null): Partial<NewImportValues> {
  const locks = locksOf(binding, values)
  return {
    ...(locks.purlColumns && binding && { purlColumns: binding.purlColumns }),
    ...(locks.dedupColumns && binding && { dedupColumns: binding.dedupColumns }),
  }
}

export type Tab = 'main' | 'purl' | 'dedup' | 'emails'

/** Tab of each field of the options; other fields that the server may name belong to the main tab. */
export function tabOf(field: string): Tab {
  if (field.startsWith('purlColumns')) return 'purl'
  if (field.startsWith('notificationEmails')) return 'emails'
  return field.startsWith('dedupColumns') ? 'dedup' : 'main'
}

const fileFields = ['name', 'filePath', 'fileSheet', 'fileDelimiter']
const matchFields = ['columnMapping', 'columnTypes', 'onMismatch']

/** Step of each field; other fields that the server may name belong to the options. */
export function stepOf(field: string): Step {
  if (fileFields.includes(field)) return 'file'
  return matchFields.some((one) => field.startsWith(one)) ? 'match' : 'options'
}

/** Folded names of imports that exist. */
type TakenNames = ReadonlySet<string>

const { required, duplicate } = messages

/** Schema of the form, with the texts of specification 3 §5. */
export function newImportSchema(takenNames: TakenNames) {
  return z
    .object({
      name: JobName.refine((name) => !takenNames.has(foldName(name)), duplicate),
      generatePURL: z.boolean(),
      dedupHashMatching: z.boolean(),
      exportOnImportCompletion: z.boolean(),
      typeCasting: z.boolean(),
      processBatchSize: z.enum(batchSizes),
      fileDelimiter: ImportDelimiter,
      purlGenerationScope: PurlScope,
      latitudeColumn: z.string(),
      longitudeColumn: z.string(),
      purlColumns: z.array(z.string()).max(maxPurlColumns, `At most ${maxPurlColumns} columns can be chosen.`),
      dedupColumns: z.array(z.string()).max(maxDedupColumns, `At most ${maxDedupColumns} columns can be chosen.`),
      notificationEmails: z.array(z.string()),
      columnMapping: z.record(z.string(), z.string().nullable()),
      onMismatchByField: MismatchByField,
      columnTypes: ColumnTypes,
    })
    .superRefine((values, context) => {
      const problem = (field: keyof NewImportValues, message: string): void =>
        context.addIssue({ code: 'custom', path: [field], message })
      const badRecipient = recipientsProblem(values.notificationEmails)
      if (badRecipient !== null) problem('notificationEmails', badRecipient)
      // Their tabs are shown only if PURLs are generated.
      if (values.generatePURL && values.purlColumns.length === 0) problem('purlColumns', required)
      if (values.generatePURL && values.dedupColumns.length === 0) problem('dedupColumns', required)
      const hasLatitude = values.latitudeColumn.trim() !== ''
      const hasLongitude = values.longitudeColumn.trim() !== ''
      if (hasLatitude !== hasLongitude) {
        const missing = hasLatitude ? 'longitudeColumn' : 'latitudeColumn'
        problem(missing, 'Choose both a latitude and a longitude column, or neither.')
      }
    })
}

/** Fields that name columns of the file. */
export type ColumnField = 'latitudeColumn' | 'longitudeColumn' | 'purlColumns' | 'dedupColumns'

/** The names that settings may contain: columns of the file, and the fields to which they are mapped. */
export const columnNames = (columns: readonly string[], mapping: ColumnMapping): string[] => [
  ...columns,
  ...columns.flatMap((column) => mapping[column] ?? []),
]

/** Problems of the fields that name columns missing from the file; none while its names are unknown. */
export function missingColumnProblems(
  values: NewImportValues,
  known: readonly string[] | null,
  locks: Locks,
): Partial<Record<ColumnField, string>> {
  const fields: ColumnField[] = ['latitudeColumn', 'longitudeColumn']
  if (values.generatePURL) fields.push('purlColumns', 'dedupColumns')
  const problems = fields.flatMap((field): [ColumnField, string][] => {
    const problem = missingColumns([values[field]].flat(), known)
    const isLocked = (field === 'purlColumns' || field === 'dedupColumns') && locks[field]
    return problem === null ? [] : [[field, isLocked ? `${problem} ${lockedAdvice}` : problem]]
  })
  return Object.fromEntries(problems)
}

/** The ways out if the file lacks a column that earlier imports have fixed. */
const lockedAdvice = 'Map a column to it in Match, or choose Import Level as PURL Generation Scope in Main Info.'

/** The body of the call, for a file that was uploaded under `filePath`. */
export function toNewImport(
  values: NewImportValues,
  filePath: string,
  locks: Locks,
  {
    mapping = null,
    choices = {},
    types = {},
  }: { mapping?: ColumnMapping | null; choices?: MismatchByField; types?: ColumnTypes } = {},
): NewImport {
  const { name, latitudeColumn, longitudeColumn, purlColumns, dedupColumns, ...rest } = values
  const {
    processBatchSize,
    notificationEmails,
    columnMapping: _typed,
    onMismatchByField: _chosen,
    columnTypes: _types,
    ...others
  } = rest
  const columns = {
    ...((values.generatePURL || locks.purlColumns) && { purlColumns }),
    ...((values.generatePURL || locks.dedupColumns) && { dedupColumns }),
  }
  return {
    ...others,
    ...columns,
    name: name.trim(),
    filePath,
    ...(notificationEmails.length > 0 && { notificationEmails }),
    ...(mapping && { columnMapping: mapping }),
    ...(Object.keys(choices).length > 0 && { onMismatchByField: choices }),
    ...(Object.keys(types).length > 0 && { columnTypes: types }),
    // The form offers only the contract's sizes.
    processBatchSize: Number(processBatchSize) as z.input<typeof BatchSize>,
    ...(latitudeColumn.trim() && { latitudeColumn: latitudeColumn.trim() }),
    ...(longitudeColumn.trim() && { longitudeColumn: longitudeColumn.trim() }),
  }
}

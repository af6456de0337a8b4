import { z } from 'zod'
import { commonType, FieldType } from './contacts.ts'
import { headerOptions, UnnamedColumn } from './import-header.ts'
import {
  ColumnReading,
  ColumnTypes,
  ImportDelimiter,
  ImportKind,
  MismatchByField,
  MismatchChoice,
  SheetName,
  UploadName,
} from './imports.ts'
import { isSameName } from '@portico/domain/names'
import type { Route } from './route.ts'

/** Rows of the file that a preview shows. */
export const previewRows = 100

/**
 * Leading columns of the report of rows set aside: the line of the file, and the reason. When the report is imported,
 * these two are left out unless they are mapped to a field.
 */
export const reportColumns = ['Set-Aside Line', 'Set-Aside Reason'] as const

const ExistingField = z.object({ name: z.string(), type: FieldType })
type ExistingField = z.output<typeof ExistingField>

/** Effect of importing a column on the account's fields. */
export const ColumnEffect = z.enum(['added', 'kept', 'widened'])
export type ColumnEffect = z.output<typeof ColumnEffect>

/** The number of cells of the sample that do not fit a type, and up to three of them. */
const Misfits = z.object({ cells: z.number(), examples: z.array(z.string()) })
export type Misfits = z.output<typeof Misfits>
export const misfitExamples = 3

/** The cells of the sample under one reading. */
export const PreviewedReading = z.object({
  reading: ColumnReading,
  /** Cells that it cannot read. */
  misfits: Misfits,
  /** The first three different cells that it reads, and their values. */
  examples: z.array(z.object({ before: z.string(), after: z.string() })),
})
export type PreviewedReading = z.output<typeof PreviewedReading>

/** A column of the file, and its use unless it is mapped otherwise. */
export const PreviewColumn = z.object({
  name: z.string(),
  /** Type of every value in the sample; `string` without values. */
  type: FieldType,
  /** The sample has no value for it. */
  isEmpty: z.boolean(),
  /** The field of this name, in any letter case. */
  field: ExistingField.nullable(),
  /** A field with a different name that is probably meant; only if no field has the column's name. */
  suggestion: ExistingField.nullable(),
  /** For a field of each type, the cells that would not fit; every cell fits a text. */
  misfits: z.object({ number: Misfits, boolean: Misfits, date: Misfits, day: Misfits }),
  /** The readings that can read some cell of the sample. */
  readings: z.array(PreviewedReading),
  /**
   * The reading of all cells, for a new field; null if none reads them all, or if the values are codes, not numbers.
   */
  suggestedReading: ColumnReading.nullable(),
  /**
   * Two readings of a type read all cells but differ: no value distinguishes the day from the month, or the decimals.
   */
  isAmbiguous: z.boolean(),
  effect: ColumnEffect,
  /** The type of the field once the column is loaded. */
  loadedType: FieldType,
  /** Part of the report of rows set aside: left out unless it is mapped. */
  isReport: z.boolean(),
})
export type PreviewColumn = z.output<typeof PreviewColumn>

/** How the header was read by the last import of a file with these columns. */
const RememberedHeader = z.object({
  /** Of that import. */
  name: z.string(),
  /** Line of this file on which these columns begin; null if that is where the header begins by default. */
  headerLine: z.number().nullable(),
  nameColumns: z.boolean(),
})
export type RememberedHeader = z.output<typeof RememberedHeader>

/** The header of a file, and the information needed to choose its line and the names of its columns. */
export const PreviewHeader = z.object({
  /** Line on which the header begins with these options; null if none does. */
  line: z.number().nullable(),
  /** The first lines of the file with a value, each with the beginnings of its first cells. */
  lines: z.array(z.object({ line: z.number(), cells: z.array(z.string()) })),
  /** The line that looks like the header, if it is a different one. */
  likelyLine: z.number().nullable(),
  /** Columns without a name of their own, except those left out. */
  unnamed: z.array(UnnamedColumn),
  /** Numbers of blank columns without a value in the sample, which are left out. */
  leftOut: z.array(z.number()),
  /** Why the import would be rejected; null if it would not. */
  refusal: z.string().nullable(),
  /** Null if the options say how the header is read, or if no import is remembered that read it differently. */
  remembered: RememberedHeader.nullable(),
})
export type PreviewHeader = z.output<typeof PreviewHeader>

export const ImportPreview = z.object({
  columns: z.array(PreviewColumn),
  /** The first rows that can be loaded, a text for each column. */
  rows: z.array(z.array(z.string())),
  /** Rows examined, including those set aside, but not the empty ones. */
  sampledRows: z.number(),
  /** The sample is the whole file. */
  isWhole: z.boolean(),
  /** Rows of the sample that would be set aside, and the first of them. */
  setAsideRows: z.number(),
  /** Rows of the sample without a value, which are skipped. */
  emptyRows: z.number(),
  setAside: z.array(z.object({ line: z.number(), reason: z.string() })),
  /** Sheets of a workbook, and the one that is previewed; empty and null for other files. */
  sheets: z.array(z.object({ name: z.string(), hidden: z.boolean() })),
  sheet: z.string().nullable(),
  /** Rows of the sample that are hidden in the workbook; they are imported. */
  hiddenRows: z.number(),
  /** Cells of the sample with an error, such as #N/A, or a formula without a stored result; they are imported as empty. */
  errorCells: z.number(),
  /** The choices of the last import of this kind from a file with this header; null if there is none. */
  remembered: z
    .object({
      name: z.string(),
      /** For events; null for contacts. */
      keyColumn: z.string().nullable(),
      keyField: z.string().nullable(),
      columnMapping: z.record(z.string(), z.string().nullable()),
      onMismatchByField: MismatchByField,
      columnTypes: ColumnTypes,
    })
    .nullable(),
  /** Null unless requested. */
  header: PreviewHeader.nullable(),
})
export type ImportPreview = z.output<typeof ImportPreview>

/**
 * Returns the effect of a column on the field that it feeds, null for a new field, as far as the sample shows. A field
 * has one type: a value that does not fit widens it only by choice.
 */
export function effectOf(
  column: Pick<PreviewColumn, 'type' | 'isEmpty'>,
  field: { type: FieldType } | null,
  choice: MismatchChoice,
): ColumnEffect {
  if (field === null) return 'added'
  return choice !== 'text' || column.isEmpty || commonType(field.type, column.type) === field.type ? 'kept' : 'widened'
}

/** Returns the cells of the sample that do not fit the field that a column feeds. */
export const misfitsOf = ({ misfits }: Pick<PreviewColumn, 'misfits'>, field: { type: FieldType } | null): Misfits =>
  field === null || field.type === 'string' ? { cells: 0, examples: [] } : misfits[field.type]

/** Returns the choice of an import for cells that do not fit a field. */
export function mismatchChoice(
  { onMismatch = 'cell', onMismatchByField = {} }: MismatchChoices,
  field: string,
): MismatchChoice {
  return Object.entries(onMismatchByField).find(([name]) => isSameName(name, field))?.[1] ?? onMismatch
}

type MismatchChoices = { onMismatch?: MismatchChoice | undefined; onMismatchByField?: MismatchByField | undefined }

/** Returns the type of a field once the column is loaded into it; a new one (null) is text unless types are cast. */
export function loadedTypeOf(
  column: Pick<PreviewColumn, 'type' | 'isEmpty'>,
  field: { type: FieldType } | null,
  { typeCasting, choice }: { typeCasting: boolean; choice: MismatchChoice },
): FieldType {
  if (field === null) return typeCasting ? column.type : 'string'
  return choice !== 'text' || column.isEmpty ? field.type : commonType(field.type, column.type)
}

export const importPreviewApi = {
  /** `filePath` is the name under which the file was uploaded. Problems are reported for `filePath`. */
  previewImport: {
    method: 'POST',
    path: '/contact-service/v1/imports/preview',
    summary: 'Preview an uploaded file: first rows, column contents and changes an import would make',
    access: 'contact-service::imports::post',
    stores: false,
    body: z.strictObject({
      filePath: UploadName,
      fileDelimiter: ImportDelimiter,
      fileSheet: SheetName.optional(),
      ...headerOptions,
      /**
       * Describes the header. A file that would be rejected is then described as far as its first lines allow, without
       * columns, and its `refusal` is in the reply.
       */
      describeHeader: z.boolean().optional(),
      typeCasting: z.boolean(),
      /** The kind of import, of contacts by default: `remembered` has the choices of an import of this kind. */
      kind: ImportKind.optional(),
      onMismatch: MismatchChoice.optional(),
      onMismatchByField: MismatchByField.optional(),
    }),
    reply: ImportPreview,
  },
} as const satisfies Record<string, Route>

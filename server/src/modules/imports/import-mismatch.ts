import { mismatchChoice } from '@portico/contract/import-preview'
import type { FieldType } from '@portico/contract/contacts'
import type { ColumnReading, MismatchChoice } from '@portico/contract/imports'
import { isSameName } from '@portico/domain/names'
import type { ContactField } from '#contacts'
import type { ImportPlan, PlannedMisfits } from './import-plan.ts'
import type { ImportRow } from './imports.queries.ts'
import { refuseEmptied, refuseMisfits, type StrictColumn } from './reading/misfit-cells.ts'
import { FileRefused } from './reading/source-text-refused.ts'
import { refuseByAny, type RefuseRow } from './reading/row-refusal.ts'

type NamedColumn = { position: number; field: { name: string } }

/**
 * Returns the columns that feed existing fields of other types than text, by what happens to cells that do not fit. A
 * misfit in a dedup column sets its row aside: without the cell, the row would belong to another contact, or to none.
 */
export function strictColumns(
  row: Pick<ImportRow, 'header' | 'on_mismatch' | 'on_mismatch_by_field' | 'column_types'>,
  named: readonly NamedColumn[],
  find: (name: string) => ContactField | undefined,
  { dedup, timeZone }: { dedup: readonly NamedColumn[]; timeZone: string },
): PlannedMisfits {
  const choices = { onMismatch: row.on_mismatch, onMismatchByField: row.on_mismatch_by_field ?? {} }
  const keys = new Set(dedup.map(({ position }) => position))
  const found = named.flatMap(({ position, field: { name } }) => {
    const reading = chosenReading(row, position, find(name))
    const type = reading?.type ?? find(name)?.type
    if (type === undefined || type === 'string') return []
    const choice = mismatchChoice(choices, name)
    // A value read in another way cannot be turned back into its original text.
    const isKept = choice === 'cell' || (choice === 'text' && reading !== undefined)
    const column = { position, type, timeZone, ...(reading && { reading }) }
    return [{ column, choice: isKept ? (keys.has(position) ? 'row' : 'cell') : choice }]
  })
  const chosen = (choice: MismatchChoice): StrictColumn[] =>
    found.filter((one) => one.choice === choice).map(({ column }) => column)
  return { cells: chosen('cell'), rows: chosen('row'), loaded: named.map(({ position }) => position) }
}

/** Returns the reading chosen for a column; undefined if none was. @throws FileRefused for a field of another type */
export function chosenReading(
  { header, column_types: types }: Pick<ImportRow, 'header' | 'column_types'>,
  position: number,
  field: Pick<ContactField, 'name' | 'type'> | undefined,
): ColumnReading | undefined {
  const name = header[position] ?? ''
  const reading = Object.entries(types ?? {}).find(([column]) => isSameName(column, name))?.[1]
  if (!reading || !field || field.type === reading.type) return reading
  if (field.type === 'date' && reading.type === 'day') return { ...reading, type: 'date' }
  throw new FileRefused(
    `The field "${field.name}" holds ${typeNames[field.type]}, so the column "${name}" cannot be read as ${typeNames[reading.type]}. Choose another type, or map the column to another field.`,
  )
}

const typeNames: Record<FieldType, string> = {
  string: 'texts',
  number: 'numbers',
  boolean: 'true or false',
  date: 'dates with a time',
  day: 'dates',
}

/** A column with the type it gives to its field, if that does not come from examining the cells. */
export type TypedColumn = NamedColumn & {
  /** The column cannot change the type of the field. */
  keepsType: boolean
  /** Chosen type of a new field. */
  chosen?: FieldType
}

/** `checked`: columns whose cells are tested by the row check. */
export function columnsWithTypes(
  row: Pick<ImportRow, 'header' | 'column_types'>,
  named: readonly NamedColumn[],
  find: (name: string) => ContactField | undefined,
  checked: ReadonlySet<number>,
): TypedColumn[] {
  return named.map((column) => {
    const chosen = find(column.field.name) ? undefined : chosenReading(row, column.position, undefined)?.type
    return { ...column, keepsType: checked.has(column.position), ...(chosen && { chosen }) }
  })
}

/**
 * Returns the part of `strict` needed by later reads of the file: columns with misfits, and columns with a chosen
 * reading.
 */
export function plannedMisfits(
  strict: PlannedMisfits,
  misfits: ReadonlyMap<number, number>,
  refusing: ReadonlySet<StrictColumn>,
): PlannedMisfits {
  const read = strict.rows.filter(({ reading }) => reading)
  const { loaded } = strict
  const isNeeded = (column: StrictColumn): boolean =>
    column.reading !== undefined || misfits.has(column.position) || refusing.has(column)
  return {
    cells: [...strict.cells.filter(isNeeded), ...read],
    rows: strict.rows.filter((column) => refusing.has(column)),
    ...(loaded && strict.cells.some((column) => refusing.has(column)) && { loaded }),
  }
}

/**
 * Returns the check that sets rows aside for cells that do not fit; none if no row can be refused. `onRefused` gets the
 * columns of these cells.
 */
export function refusalBy(
  names: readonly string[],
  { cells, rows, loaded }: PlannedMisfits,
  onRefused?: (column: StrictColumn) => void,
): { refuse?: RefuseRow } {
  const checks: RefuseRow[] = []
  if (rows.length > 0) checks.push(refuseMisfits(names, rows, onRefused))
  if (loaded && cells.length > 0) checks.push(refuseEmptied(names, { loaded, cells }, onRefused))
  return checks.length > 0 ? { refuse: refuseByAny(checks) } : {}
}

/** Returns the row check by which a plan numbers rows, as an option for their readers. */
export function refusalOf({ header }: Pick<ImportRow, 'header'>, { misfits }: ImportPlan): { refuse?: RefuseRow } {
  return misfits ? refusalBy(header, misfits) : {}
}

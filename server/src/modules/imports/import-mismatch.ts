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
 * The columns that feed fields which contacts have already, and that are no texts, by what happens to cells that do not fit.
 * A cell of a dedup column sets its row aside: without it, the row would be the row of another contact, or of none.
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
    // A value that was read in another way cannot become the text that it was.
    const isKept = choice === 'cell' || (choice === 'text' && reading !== undefined)
    const column = { position, type, timeZone, ...(reading && { reading }) }
    return [{ column, choice: isKept ? (keys.has(position) ? 'row' : 'cell') : choice }]
  })
  const chosen = (choice: MismatchChoice): StrictColumn[] =>
    found.filter((one) => one.choice === choice).map(({ column }) => column)
  return { cells: chosen('cell'), rows: chosen('row'), loaded: named.map(({ position }) => position) }
}

/**
 * The reading that was chosen for a column; undefined without one.
 * @throws FileRefused for a field of another type
 */
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

/** A column with the type that it gives to its field, where examining it does not tell. */
export type TypedColumn = NamedColumn & {
  /** Of a field whose type the column cannot change. */
  keepsType: boolean
  /** Of a new field. */
  chosen?: FieldType
}

/** `checked`: columns whose cells the check of the rows has tested. */
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

/** The part of `strict` that later reads of the file need: columns with cells that do not fit, and those that are read as chosen. */
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

/** The check of rows by their cells that do not fit; none where no row can be refused. `onRefused` gets the columns of these cells. */
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

/** The check of the rows by which a plan numbers them, as an option of their readers. */
export function refusalOf({ header }: Pick<ImportRow, 'header'>, { misfits }: ImportPlan): { refuse?: RefuseRow } {
  return misfits ? refusalBy(header, misfits) : {}
}

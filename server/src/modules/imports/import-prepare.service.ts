import type { FieldType } from '@portico/contract/contacts'
import { limitInWords } from '@portico/contract/account-limits'
import { findByName } from '@portico/domain/names'
import { accountTimeZone } from '#accounts'
import {
  buildContactIndexes,
  type ContactField,
  dropContactIndexes,
  ensureFields,
  hasContacts,
  hasFinerColumn,
  listContactFields,
} from '#contacts'
import { setTimeout } from 'node:timers/promises'
import { roomFor } from '#platform/account-limits.ts'
import { inTransaction, isLockTimeout } from '#platform/database.ts'
import { dropTrigramIndexes, hasUniqueIndex, restoreLookupIndexes } from '#indexes'
import { hasKeys, keyColumns } from './loading/import-keys.service.ts'
import {
  candidateType,
  delimiterOf,
  emptyRowsOnly,
  headerOnly,
  type ImportPlan,
  type PlannedMisfits,
  mapColumns,
  noneFits,
  stageGroups,
} from './import-plan.ts'
import type { FileRun, ImportRun } from './import-context.ts'
import { startExamining } from './header/find-header.service.ts'
import { openImportText, readReporting, withCheckpoints } from './loading/import-text.service.ts'
import { updateImport } from './imports.queries.ts'
import { countMisfits, type Examination, examine, type ExamineOptions } from './reading/record-scanner-examine.ts'
import { findClashes } from './reading/number-spellings.ts'
import { RowLines } from './row-lines.ts'
import { deleteRowLines, insertRowLines } from './row-lines.queries.ts'
import { type SetAsideReport, withSetAsideReport } from './set-aside-report.ts'
import { FileRefused } from './reading/source-text-refused.ts'
import type { StrictColumn } from './reading/misfit-cells.ts'
import type { CandidateType } from './reading/value-types.ts'
import {
  chosenReading,
  columnsWithTypes,
  plannedMisfits,
  refusalBy,
  strictColumns,
  type TypedColumn,
} from './import-mismatch.ts'
import { lateDedupProblem } from './late-keys/late-dedup.service.ts'

/**
 * Reads the file once: checks the header, counts the rows, sets aside those that cannot be loaded, and infers the types
 * of the columns. Then creates the fields and plans the load. Contacts are not changed before the whole file is known
 * to be readable.
 * @throws FileRefused, also when every row is set aside; their report is kept
 */
export async function prepareImport(run: ImportRun): Promise<ImportPlan> {
  const { account, row, database } = run
  const { db } = database
  const settled = await settleColumns(run)
  const { names } = settled
  return withSetAsideReport(run, names, async (report) => {
    // Left by an attempt that died.
    await deleteRowLines(db, account, row.id)
    const lines = new RowLines((jumps) => insertRowLines(db, account, row.id, jumps))
    const { examined, columns, misfits } = await examineColumns(run, settled, report, (block, firstRow) =>
      lines.add(block, firstRow),
    )
    await lines.close()
    const { setAside, emptyRows } = examined
    const notLoaded = {
      set_aside_records: setAside,
      set_aside_cells: countMisfits(examined),
      empty_records: emptyRows,
      ...(await report.close()),
    }
    if (examined.rows === 0) {
      await updateImport(db, account, row.id, notLoaded)
      throw new FileRefused(noneFits(setAside, report.first))
    }
    const plan = await makePlan(run, columns, examined)
    if (misfits) plan.misfits = misfits
    await updateImport(db, account, row.id, {
      header: names,
      plan: JSON.stringify(plan),
      total_records: plan.rows,
      // Set only from here on: an import planned by an earlier release may have changed contacts without a record.
      records_changes: true,
      ...notLoaded,
      stalled_attempts: 0,
    })
    // Only now: an import that ends without a plan would not build them again.
    if (plan.buildsIndexes) {
      await dropContactIndexes(db, account)
      await dropTrigramIndexes(db, account)
    }
    return plan
  })
}

/** The columns of a file according to its settings, before its rows are read. */
export type SettledColumns = {
  /** A name for each column. */
  names: string[]
  /** The columns to load. */
  named: { position: number; field: { name: string } }[]
  find: (name: string) => ContactField | undefined
  strict: PlannedMisfits
  /** Positions of the columns whose cells the row check tests. */
  checked: ReadonlySet<number>
  types: CandidateType[]
}

/** Reads the header, and determines which column feeds which field. @throws FileRefused */
export async function settleColumns(run: FileRun): Promise<SettledColumns> {
  const { account, row, database } = run
  const { db } = database
  const names = await startExamining(run)
  const fieldNames = mapColumns(names, row.column_mapping)
  const named = fieldNames.flatMap((name, position) => (name === null ? [] : [{ position, field: { name } }]))
  // Called early to refuse settings that name a missing column.
  const { dedup } = keyColumns(row, named)
  // Contacts may have been added since the import was submitted.
  const late = await lateDedupProblem(db, account, row)
  if (late !== null) throw new FileRefused(late)
  const known = await listContactFields(db, account)
  const find = findByName(known, ({ name }) => name)
  requireRoomForFields(named, find, known.length)
  const strict = strictColumns(row, named, find, { dedup, timeZone: await accountTimeZone(db, account) })
  const checked = new Set(strict.rows.map(({ position }) => position))
  const types = fieldNames.map((name, position) =>
    // The row check tests these cells.
    checked.has(position)
      ? 'string'
      : candidateType(name, find, row.type_casting, chosenReading(row, position, undefined)),
  )
  return { names, named, find, strict, checked, types }
}

/** Reads all rows. Returns their figures, the loaded columns with their types, and the columns with misfits. */
export async function examineColumns(
  run: FileRun,
  { names, named, find, strict, checked, types }: SettledColumns,
  report: Pick<SetAsideReport, 'add'>,
  onRows?: ExamineOptions['onRows'],
): Promise<{ examined: Examination; columns: TypedColumn[]; misfits: PlannedMisfits | null }> {
  const refusing = new Set<StrictColumn>()
  const examined = await examineFile(run, types, report, {
    strict: strict.cells,
    ...refusalBy(names, strict, (column) => refusing.add(column)),
    ...(onRows && { onRows }),
  })
  const misfits = plannedMisfits(strict, examined.misfits, refusing)
  return {
    examined,
    columns: columnsWithTypes(run.row, named, find, checked),
    misfits: misfits.cells.length + misfits.rows.length > 0 ? misfits : null,
  }
}

/** Only imports create fields, one import of the account at a time. @throws FileRefused */
function requireRoomForFields(
  named: readonly { position: number; field: { name: string } }[],
  find: (name: string) => ContactField | undefined,
  known: number,
): void {
  const [over] = named.filter(({ field }) => !find(field.name)).slice(roomFor('contactFields', known))
  if (!over) return
  const column = `Column ${over.position + 1}, "${over.field.name}", cannot be imported.`
  throw new FileRefused(`${column} ${limitInWords('contactFields')}`)
}

/**
 * Reads the whole file to examine its rows; see `ExamineOptions` for further work done in this read.
 * @throws FileRefused
 */
export async function examineFile(
  run: FileRun,
  types: readonly CandidateType[],
  report: Pick<SetAsideReport, 'add'>,
  options: Pick<ExamineOptions, 'refuse' | 'strict' | 'onRows'>,
) {
  const { account, row, database } = run
  const timeZone = await accountTimeZone(database.db, account)
  const shape = { delimiter: delimiterOf(row.delimiter), columns: row.header.length }
  const examined = await readReporting(run, (text) =>
    examine(text, {
      ...shape,
      typed: types,
      timeZone,
      names: row.header,
      onSetAside: (record) => report.add(record),
      ...options,
    }),
  )
  if (examined.unsure.size > 0) {
    const again = withCheckpoints(run, await openImportText(run))
    for (const position of await findClashes(again, { ...shape, ...options }, examined.unsure))
      examined.types[position] = 'string'
  }
  if (examined.rows + examined.setAside === 0)
    throw new FileRefused(examined.emptyRows === 0 ? headerOnly : emptyRowsOnly)
  return examined
}

/** Creates the fields once no long read blocks the tables. Checks for cancellation while waiting. */
async function createFields(run: ImportRun, wanted: Parameters<typeof ensureFields>[2]) {
  for (;;) {
    try {
      return await inTransaction(run.database.db, async (tx) => {
        const fields = await ensureFields(tx, run.account, wanted)
        await restoreLookupIndexes(tx, run.account)
        return fields
      })
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      run.log.info({ account: run.account, import: run.row.id }, 'an import waits for the tables of contacts')
      await run.checkpoint()
      // Lets searches run that were queued behind this attempt.
      await setTimeout(1000)
    }
  }
}

/**
 * Returns the fields that the columns need; `type` is null for a column that accepts the field's present type, and
 * creates the field as text.
 */
export function wantedFields(
  columns: readonly TypedColumn[],
  examined: Pick<Examination, 'emptyColumns' | 'types'>,
): { name: string; type: FieldType | null }[] {
  return columns.map(({ field: { name }, position, keepsType, chosen }) => ({
    name,
    // A column without values gives no indication of its type.
    type: chosen ? chosen : keepsType || examined.emptyColumns[position] ? null : (examined.types[position] ?? null),
  }))
}

async function makePlan(run: ImportRun, named: TypedColumn[], examined: Examination): Promise<ImportPlan> {
  const { account, row, database } = run
  const { db } = database
  const fields = await createFields(run, wantedFields(named, examined))
  const columns = named.flatMap(({ position }, index) => {
    const field = fields[index]
    return field ? [{ position, field }] : []
  })
  const groupStarts = stageGroups(row.header.length)
  const plan: ImportPlan = {
    rows: examined.rows,
    fileColumns: row.header.length,
    columns,
    groupStarts,
    path: 'staged',
    skipsEmptyRows: true,
    // Indexes cannot be dropped while a server of a cluster is away.
    buildsIndexes: run.isClusterWhole && !(await hasContacts(db, account)),
  }
  // Rows that need no comparison are copied straight into the contacts, if one table holds all their columns.
  const isPlain = columns.length === row.header.length && columns.every(({ field }) => field.table === 'contacts')
  // A contact that has two rows until they are merged would violate a unique index.
  const isFirst = !hasKeys(row) || (plan.buildsIndexes && !(await hasUniqueIndex(db, account)))
  const moments = columns.flatMap(({ field }) => (field.type === 'date' ? [field.column] : []))
  if (isFirst && isPlain && groupStarts.length === 1 && !(await hasFinerColumn(db, account, moments))) {
    plan.path = 'direct'
  }
  if (!plan.buildsIndexes) await buildContactIndexes(db, account)
  return plan
}

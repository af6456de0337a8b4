import {
  addEventFields,
  addingEventFields,
  buildEventIndexes,
  dropEventIndexes,
  hasEvents,
  keepEventFields,
} from '#contacts'
import { accountTimeZone } from '#accounts'
import { releaseFile } from '#files'
import type { Updateable } from 'kysely'
import { inTransaction, isLockTimeout } from '#platform/database.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import { ambiguous, eventRowCheck, noSuchContact } from './event-row-check.ts'
import { countUnmatched, insertStagedEvents, matchEvents, selectUnmatched } from './event-import.queries.ts'
import { type EventColumn, eventColumns, type EventPlan, findKeyField, keyPosition } from './event-plan.ts'
import { raiseMemoryLimit } from '../loading/import-keys.service.ts'
import { startLoading } from '../loading/import-load.service.ts'
import { inImportTransaction } from '../loading/import-transaction.ts'
import { delimiterOf, type PlannedMisfits, stageGroups } from '../import-plan.ts'
import { startExamining } from '../header/find-header.service.ts'
import { examineFile } from '../import-prepare.service.ts'
import { openImportText, withCheckpoints } from '../loading/import-text.service.ts'
import type { ImportRun } from '../import-context.ts'
import { isMatched, laneCount, stageFile } from '../loading/import-stage.service.ts'
import {
  type ImportRow,
  type ImportTable,
  insertBatch,
  selectImport,
  updateCounts,
  updateImport,
} from '../imports.queries.ts'
import { runLanes } from '../loading/lanes.ts'
import { readCells } from '../reading/record-repair.ts'
import { findMisfits, type StrictColumn } from '../reading/misfit-cells.ts'
import { countMisfits, type SetAside, setAsideInOrder } from '../reading/record-scanner-examine.ts'
import type { RecordBlock } from '../reading/record-block.ts'
import { scanRecords } from '../reading/record-scanner.ts'
import type { RefuseRow } from '../reading/row-refusal.ts'
import { type SetAsideReport, withSetAsideReport } from '../set-aside-report.ts'
import { FileRefused } from '../reading/source-text-refused.ts'
import { indexStage } from '../loading/stage.queries.ts'
import { requireMatched, requireMatchedRange, requireStaged } from '../loading/working-tables.queries.ts'

/**
 * Reads a file of events once: checks the header, counts the rows, sets aside rows that cannot be events of any
 * contact, and infers the types of custom fields.
 */
export async function prepareEvents(run: ImportRun): Promise<EventPlan> {
  const { account, row, database } = run
  const { db } = database
  const names = await startExamining(run)
  const position = keyPosition(names, row)
  const field = await findKeyField(db, account, row.key_field ?? '')
  if (!field) throw new FileRefused(`Contacts have no field "${row.key_field}".`)
  const key = { position, field }
  const events = eventColumns(names, position, row.column_mapping)

  const infers = new Set(
    row.type_casting ? events.flatMap((one) => (one.field.of === 'details' ? [one.position] : [])) : [],
  )
  const misfits = plannedMisfits(row, events)
  const timeZone = await accountTimeZone(db, account)
  const lenient = new Set(misfits.cells.map((column) => column.position))
  const types = names.map((_name, at) => {
    if (lenient.has(at)) return 'boolean'
    return infers.has(at) ? 'infer' : 'string'
  })
  return withSetAsideReport(run, names, async (report) => {
    const examined = await examineFile(run, types, report, {
      strict: misfits.cells,
      refuse: eventRowCheck(names, key, events, { refusesTrigger: misfits.rows.length > 0, timeZone }),
    })
    const recorded = await report.close()
    for (const one of events) {
      const found = infers.has(one.position) ? examined.types[one.position] : undefined
      // JSON has no dates.
      if (found === 'number' || found === 'boolean') one.field.type = found
    }
    const plan: EventPlan = {
      path: 'events',
      rows: examined.rows,
      setAside: examined.setAside,
      fileColumns: names.length,
      groupStarts: stageGroups(names.length),
      columns: [key, ...events],
      key,
      events,
      buildsIndexes: !(await hasEvents(db, account)),
      skipsEmptyRows: true,
      timeZone,
      misfits: { ...misfits, cells: misfits.cells.filter((column) => examined.misfits.has(column.position)) },
    }
    if (plan.rows > 0) await addFields(run, plan)
    // An earlier import may have failed to rebuild the index at its end.
    if (!plan.buildsIndexes) await buildEventIndexes(db, account)
    await updateImport(db, account, row.id, {
      header: names,
      plan: JSON.stringify(plan),
      total_records: plan.rows,
      set_aside_records: plan.setAside,
      set_aside_cells: countMisfits(examined),
      empty_records: examined.emptyRows,
      ...recorded,
      stalled_attempts: 0,
    })
    return plan
  })
}

/**
 * Adds the custom fields before anything is loaded: the batches of a load take long, and would make others wait.
 * @throws FileRefused
 */
async function addFields({ account, database: { db } }: ImportRun, { events }: EventPlan): Promise<void> {
  const own = events.filter(isCustom)
  const names = own.map(({ field }) => field.name)
  await addingEventFields(db, account, names, (tx) =>
    addEventFields(tx, account, names, (name, problem) => {
      const position = own.find(({ field }) => field.name === name)?.position ?? 0
      return new FileRefused(`Column ${position + 1}, "${name}", cannot be imported. ${problem}`)
    }),
  )
}

const isCustom = ({ field }: EventColumn): boolean => field.of === 'details'

/** Only `is_trigger` has a type whose misfits still let the event be loaded. */
function plannedMisfits(row: ImportRow, events: readonly EventColumn[]): PlannedMisfits {
  const triggers = events.flatMap(({ position, field }): StrictColumn[] =>
    field.of === 'event' && field.name === 'is_trigger' ? [{ position, type: field.type }] : [],
  )
  return row.on_mismatch === 'row' ? { cells: [], rows: triggers } : { cells: triggers, rows: [] }
}

const rowCheckOf = ({ row }: ImportRun, { key, events, misfits, timeZone }: EventPlan): RefuseRow =>
  eventRowCheck(row.header, key, events, {
    refusesTrigger: misfits === undefined || misfits.rows.length > 0,
    timeZone: timeZone ?? null,
  })

/** Copies the file into the staging tables. */
export async function stageEvents(run: ImportRun, plan: EventPlan): Promise<void> {
  await stageFile(run, plan, rowCheckOf(run, plan))
}

/** Matches staged rows to contacts, and sets aside rows with no contact or several. */
export async function matchStagedEvents(run: ImportRun, plan: EventPlan): Promise<void> {
  const { account, row, database } = run
  const { db } = database
  if (!(await isMatched(run, plan))) {
    await run.checkpoint()
    await updateImport(db, account, row.id, { phase: 'matching', phase_progress: 0, last_activity_at: new Date() })
    await indexStage(db, account, row.id, plan)
    await inImportTransaction(run, async (tx) => {
      await raiseMemoryLimit(tx)
      await requireStaged(tx, account, row.id, plan)
      await matchEvents(tx, account, row.id, plan)
      await requireMatched(tx, account, row.id, plan)
    })
    await updateImport(db, account, row.id, { stalled_attempts: 0 })
  }
  const unmatched = plan.rows === 0 ? 0 : await countUnmatched(db, account, row.id)
  // Written together with the report: a worker that takes over then knows that the report exists.
  const total = plan.rows - unmatched
  if (row.total_records === total || unmatched === 0) return
  await reportUnmatched(run, plan, {
    total_records: total,
    set_aside_records: plan.setAside + unmatched,
    last_activity_at: new Date(),
  })
}

/**
 * Writes the report again, with the unmatched rows in file order, and records it with these figures in place of the
 * previous one. This reads the file a third time.
 */
async function reportUnmatched(run: ImportRun, plan: EventPlan, figures: Updateable<ImportTable>): Promise<void> {
  const { account, row, database, storage, log } = run
  const { db } = database
  const release = await withSetAsideReport(run, row.header, async (report) => {
    const cells = await writeUnmatched(run, plan, report)
    const columns = { ...figures, set_aside_cells: cells, ...(await report.close()) }
    return inTransaction(db, async (tx) => {
      // Otherwise part of the report could be missing.
      await requireMatched(tx, account, row.id, plan)
      // Created by this attempt or an earlier one.
      const before = (await selectImport(tx, account, row.id))?.report_key
      await updateImport(tx, account, row.id, columns)
      return before ? releaseFile(tx, { db, storage, log }, before) : null
    })
  })
  await release?.()
}

/** @returns the number of cells left out of the matched rows */
async function writeUnmatched(run: ImportRun, plan: EventPlan, report: SetAsideReport): Promise<number> {
  const delimiter = delimiterOf(run.row.delimiter)
  const cut = {
    delimiter,
    columns: plan.fileColumns,
    refuse: rowCheckOf(run, plan),
    keepsEmptyRows: !plan.skipsEmptyRows,
    names: run.row.header,
  }
  const lenient = plan.misfits?.cells ?? []
  let cells = 0
  const unmatched = unmatchedRows(run)
  let next = await unmatched.next()
  let first = 0
  for await (const block of scanRecords(withCheckpoints(run, await openImportText(run)), cut)) {
    if (block.isHeader) continue
    const found: SetAside[] = []
    const unloaded = new Set<number>()
    for (; !next.done && next.value.row < first + block.rows; next = await unmatched.next()) {
      const { row: number, contacts } = next.value
      const reason = contacts > 1 ? ambiguous(contacts) : noSuchContact
      unloaded.add(number - first)
      found.push({ line: block.lines[number - first] ?? 0, reason, cells: cellsOf(block, number - first, delimiter) })
    }
    first += block.rows
    const leftOut = findMisfits(block, lenient, plan.fileColumns).filter((cell) => !unloaded.has(cell.row))
    cells += leftOut.length
    found.push(...setAsideInOrder(block, leftOut, cut))
    for (const one of found.toSorted((before, after) => before.line - after.line)) await report.add(one)
  }
  return cells
}

function cellsOf(
  { bytes, starts, ends }: RecordBlock,
  row: number,
  delimiter: Parameters<typeof readCells>[1],
): string[] {
  return readCells(bytes.subarray(starts[row], ends[row]), delimiter)
}

const unmatchedAtOnce = 10_000

async function* unmatchedRows({ account, row, database }: ImportRun) {
  let after = -1
  for (;;) {
    const page = await selectUnmatched(database.db, account, row.id, { after, limit: unmatchedAtOnce })
    yield* page
    const last = page.at(-1)
    if (!last || page.length < unmatchedAtOnce) return
    after = last.row
  }
}

/** Loads the events in batches, several at a time. Each batch and its record are one transaction. */
export async function loadEvents(run: ImportRun, plan: EventPlan): Promise<void> {
  const { account, row } = run
  const done = await startLoading(run)
  const batchRows = row.batch_size * 1000
  const customNames = plan.events.filter(isCustom).map(({ field }) => field.name)
  const batches = [...Array(Math.ceil(plan.rows / batchRows)).keys()].filter((batch) => !done.has(`${batch}:0`))
  // While a server of a cluster is away, the index could not be rebuilt.
  if (plan.buildsIndexes && run.isClusterWhole && batches.length > 0) await dropIndexes(run)
  await runLanes([...Array(laneCount).keys()], async (lane, isFailed) => {
    for (const batch of batches.filter((_batch, at) => at % laneCount === lane)) {
      if (isFailed()) return
      await run.checkpoint()
      const range = { from: batch * batchRows, to: Math.min((batch + 1) * batchRows, plan.rows) }
      await inImportTransaction(run, async (tx) => {
        await requireMatchedRange(tx, account, row.id, range)
        await keepEventFields(tx, account, customNames)
        const created = await insertStagedEvents(tx, account, row.id, plan, range)
        const counts = { rows: created, created, updated: 0 }
        await insertBatch(tx, account, { importId: row.id, batch, lane: 0, ...counts })
        // Last, because from here to the commit the lanes wait for each other.
        await updateCounts(tx, account, row.id, { ...counts, hasPurls: false, now: new Date() })
      })
    }
  })
}

/**
 * Drops the index, only as an optimization: if long reads or a server that is away prevent it, events are loaded with
 * the index in place.
 */
async function dropIndexes(run: ImportRun): Promise<void> {
  try {
    await inImportTransaction(run, (tx) => dropEventIndexes(tx, run.account))
  } catch (error) {
    if (!isLockTimeout(error) && !isServerAway(error)) throw error
    run.log.info({ account: run.account, import: run.row.id }, 'events are loaded with their index')
  }
}

/** Builds the index of an account that had no events. */
export async function finishEvents({ account, row, database }: ImportRun, plan: EventPlan): Promise<void> {
  if (!plan.buildsIndexes) return
  await updateImport(database.db, account, row.id, {
    phase: 'indexing',
    phase_progress: 0,
    last_activity_at: new Date(),
  })
  await buildEventIndexes(database.db, account)
}

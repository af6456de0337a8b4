import { pipeline } from 'node:stream/promises'
import { accountTimeZone } from '#accounts'
import { buildContactIndexes } from '#contacts'
import { accountTable, setLocally } from '#platform/database.ts'
import { sql } from 'kysely'
import { purlRule } from './import-keys.service.ts'
import { delimiterOf, delimiterOfText, type ImportPlan } from '../import-plan.ts'
import { openImportText, withCheckpoints } from './import-text.service.ts'
import type { ImportRun } from '../import-context.ts'
import { laneCount } from './import-stage.service.ts'
import { insertBatch, selectBatches, updateCounts, updateImport } from '../imports.queries.ts'
import { refusalOf } from '../import-mismatch.ts'
import { takesGuardsOff } from '../import-guards.service.ts'
import { inImportTransaction } from './import-transaction.ts'
import { feedLanes, runLanes } from './lanes.ts'
import { countShare, insertNewContacts, updateKnownContacts } from './load.queries.ts'
import { firstContactId } from './match.queries.ts'
import { insertChanges } from '../undo/record-changes.queries.ts'
import { cutBatches } from '../reading/record-scanner-batches.ts'
import { copyStatement } from './stage.queries.ts'
import { requireMatchedRange } from './working-tables.queries.ts'

/**
 * Copies the file's rows straight into the contacts: into an account without contacts, or when no row has to be
 * compared with them. Each batch and its record are one transaction.
 */
export async function loadDirectly(run: ImportRun, plan: ImportPlan): Promise<void> {
  const { account, row, database } = run
  const done = await startLoading(run)
  const batchRows = row.batch_size * 1000
  const timeZone = await accountTimeZone(database.db, account)
  const statement = copyStatement(
    accountTable(account, 'contacts'),
    [sql.id('id'), sql.id('import_id')],
    plan.columns.map(({ field }) => sql.id(field.column)),
    delimiterOf(row.delimiter),
  )
  const pieces = cutBatches(withCheckpoints(run, await openImportText(run)), {
    delimiter: delimiterOf(row.delimiter),
    columns: plan.fileColumns,
    groupStarts: plan.groupStarts,
    rowsPerBatch: batchRows,
    skipBatch: (batch) => done.has(`${batch}:0`),
    firstNumber: firstContactId(row.id),
    takesGuardsOff: await takesGuardsOff(database.db, account, delimiterOfText(row)),
    keepsEmptyRows: !plan.skipsEmptyRows,
    empties: plan.misfits?.cells ?? [],
    ...refusalOf(row, plan),
    prefixTail: `${delimiterOf(row.delimiter)}${row.id}`,
  })
  await feedLanes(pieces, { lanes: laneCount, groups: 1 }, async (batch, [bytes]) => {
    await run.checkpoint()
    if (!bytes) throw new Error('a batch has no bytes')
    const rows = Math.min(batchRows, plan.rows - batch * batchRows)
    await inImportTransaction(run, async (tx, connection) => {
      await insertBatch(tx, account, { importId: row.id, batch, lane: 0, rows, created: rows, updated: 0 })
      await setLocally(tx, 'TimeZone', timeZone)
      await pipeline(bytes, connection.copyFrom(statement))
      await updateCounts(tx, account, row.id, { rows, created: rows, updated: 0, hasPurls: false, now: new Date() })
    })
  })
}

/**
 * Loads the staged rows in batches. Each connection has its own share of the *contacts*: the rows of one contact are
 * applied in file order, and connections never wait for each other.
 */
export async function loadFromStage(run: ImportRun, plan: ImportPlan): Promise<void> {
  const done = await startLoading(run)
  const batches = Math.ceil(plan.rows / (run.row.batch_size * 1000))
  await runLanes([...Array(laneCount).keys()], async (lane, isFailed) => {
    for (let batch = 0; batch < batches && !isFailed(); batch++) {
      if (!done.has(`${batch}:${lane}`)) await loadBatch(run, plan, batch, lane)
    }
  })
}

async function loadBatch(run: ImportRun, plan: ImportPlan, batch: number, lane: number): Promise<void> {
  const { account, row } = run
  await run.checkpoint()
  const batchRows = row.batch_size * 1000
  const options = {
    range: { from: batch * batchRows, to: Math.min((batch + 1) * batchRows, plan.rows) },
    lane,
    lanes: laneCount,
    purlScope: purlRule(row)?.scope ?? 0,
    now: new Date(),
  }
  await inImportTransaction(run, async (tx) => {
    await requireMatchedRange(tx, account, row.id, options.range)
    const rows = await countShare(tx, account, row.id, options)
    const created = await insertNewContacts(tx, account, row.id, plan, options)
    if (created < rows) await insertChanges(tx, account, row.id, plan, { ...options, batch })
    const updated = created < rows ? await updateKnownContacts(tx, account, row.id, plan, options) : 0
    await insertBatch(tx, account, { importId: row.id, batch, lane, rows, created, updated })
    // Last, because both lanes write this row, and wait for each other from here to the commit.
    await updateCounts(tx, account, row.id, { rows, created, updated, hasPurls: row.generate_purl, now: new Date() })
  })
}

/** Marks the import as loading. Returns the batches already committed, as `batch:lane`. */
export async function startLoading(run: ImportRun): Promise<Set<string>> {
  const { account, row, database } = run
  await updateImport(database.db, account, row.id, { phase: 'loading', last_activity_at: new Date() })
  return selectBatches(database.db, account, row.id)
}

/** Builds the indexes of an account that had no contacts. */
export async function buildIndexes(run: ImportRun, plan: ImportPlan): Promise<void> {
  const { account, row, database } = run
  if (!plan.buildsIndexes) return
  await updateImport(database.db, account, row.id, {
    phase: 'indexing',
    phase_progress: 0,
    last_activity_at: new Date(),
  })
  await buildContactIndexes(database.db, account)
}

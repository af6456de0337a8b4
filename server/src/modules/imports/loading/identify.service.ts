import { keyColumns, hasKeys, makeKeys, purlRule, raiseMemoryLimit } from './import-keys.service.ts'
import type { ImportRun } from '../import-context.ts'
import type { ImportPlan } from '../import-plan.ts'
import { laneCount } from './import-stage.service.ts'
import { insertBatch, selectBatches, updateImport, updatePurlsDone, updateRepeated } from '../imports.queries.ts'
import { inImportTransaction } from './import-transaction.ts'
import { loadedSource } from './keys.queries.ts'
import { runLanes } from './lanes.ts'
import { mergeCoordinates, mergeRepeatedRows } from './load.queries.ts'
import { WorkingTablesLost } from './working-tables.queries.ts'
import {
  clearFirstKeys,
  countRepeatedRows,
  findRepeatedRows,
  firstContactId,
  insertFirstKeys,
  type RowCounts,
} from './match.queries.ts'

// Batch numbers under which the steps are recorded: the keys of each lane, and the final merge.
const keysBatch = -1
const mergeBatch = -2
const nothing = { rows: 0, created: 0, updated: 0 }

/**
 * Computes the keys of directly loaded contacts, which have none until then, and merges rows that turn out to be the
 * same contact. The merge comes last; an attempt interrupted before it starts over: keys are always computed from the
 * rows as loaded, with the same result, and never from merged ones (ADR 0130).
 */
export async function identifyLoaded(run: ImportRun, plan: ImportPlan): Promise<void> {
  const { account, row, database } = run
  if (!hasKeys(row) || (await isIdentified(run))) return
  const now = new Date()
  await updateImport(database.db, account, row.id, {
    phase: 'matching',
    phase_progress: 0,
    last_activity_at: now,
    ...(row.generate_purl && { purl_status: 'processing' as const, purl_started_at: row.purl_started_at ?? now }),
  })
  const counts = await computeFirstKeys(run, plan)
  const inserted = await insertKeys(run)
  if (inserted !== counts.rows - counts.repeated) throw new WorkingTablesLost()
  await merge(run, plan, counts, now)
}

async function isIdentified({ account, row, database }: ImportRun): Promise<boolean> {
  return (await selectBatches(database.db, account, row.id)).has(`${mergeBatch}:0`)
}

/** Fills the working tables, replacing everything left by an interrupted attempt. */
function computeFirstKeys(run: ImportRun, plan: ImportPlan): Promise<RowCounts> {
  const { account, row } = run
  return inImportTransaction(run, async (tx) => {
    await clearFirstKeys(tx, account, row.id, keysBatch)
    await makeKeys(tx, account, row, loadedSource(account, firstContactId(row.id)), keyColumns(row, plan.columns))
    const counts = await findRepeatedRows(tx, account, row.id)
    if (counts.repeated > 0) await mergeCoordinates(tx, account, row.id)
    return counts
  })
}

/** Inserts the keys, one share per lane. Returns the number of contacts that got keys. */
async function insertKeys(run: ImportRun): Promise<number> {
  const { account, row } = run
  let inserted = 0
  await runLanes([...Array(laneCount).keys()], async (lane) => {
    const count = await inImportTransaction(run, async (tx) => {
      // First, to wait for the transaction of a dead worker that is about to commit the same batch.
      await insertBatch(tx, account, { importId: row.id, batch: keysBatch, lane, ...nothing })
      await raiseMemoryLimit(tx)
      return insertFirstKeys(tx, account, row.id, purlRule(row), { lane, lanes: laneCount })
    })
    inserted += count
  })
  return inserted
}

/** Merges the repeated rows, after all contacts have their keys. */
async function merge(run: ImportRun, plan: ImportPlan, { repeated }: RowCounts, now: Date): Promise<void> {
  const { account, row } = run
  await inImportTransaction(run, async (tx) => {
    await insertBatch(tx, account, { importId: row.id, batch: mergeBatch, lane: 0, ...nothing })
    if ((await countRepeatedRows(tx, account, row.id)) !== repeated) throw new WorkingTablesLost()
    await raiseMemoryLimit(tx)
    const updated = repeated > 0 ? await mergeRepeatedRows(tx, account, row.id, plan, now) : 0
    await updateRepeated(tx, account, row.id, { repeated, updated, now })
    await updatePurlsDone(tx, account, row.id, new Date())
  })
}

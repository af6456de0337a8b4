import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Db, setLocally } from '#platform/database.ts'
import { accountTimeZone } from '#accounts'
import { followMergedKeys } from '#contacts'
import { keyColumns, makeKeys, purlRule } from './import-keys.service.ts'
import { takesGuardsOff } from '../import-guards.service.ts'
import { delimiterOf, delimiterOfText, type ImportPlan } from '../import-plan.ts'
import type { FileRun } from '../import-context.ts'
import { giveFreeKeys } from '../late-keys/give-keys.service.ts'
import { inImportTransaction } from './import-transaction.ts'
import { feedLanes } from './lanes.ts'
import { stagedSource } from './keys.queries.ts'
import { matchRows } from './match.queries.ts'
import { cutBatches } from '../reading/record-scanner-batches.ts'
import type { RefuseRow } from '../reading/row-refusal.ts'
import { openImportText, withCheckpoints } from './import-text.service.ts'
import {
  copyIntoStage,
  createStage,
  deleteStaged,
  indexStage,
  insertSlice,
  type RowRange,
  selectSlices,
  type StagePlan,
  stageTable,
} from './stage.queries.ts'
import { countMatched, requireMatched, requireStaged } from './working-tables.queries.ts'

/** Connections that work on one import in parallel. Two keep both the reader and the database busy. */
export const laneCount = 2

// Rows staged together: few enough to keep in memory while they wait, and to lose little when a worker dies.
const sliceRows = 25_000

/**
 * Reads the file into the staging tables. Slices already staged are skipped. Rows for which `refuse` returns a reason
 * are left out and get no number.
 */
export async function stageFile(run: FileRun, plan: StagePlan, refuse?: RefuseRow): Promise<void> {
  const { account, row, database } = run
  const { db } = database
  if (await isMatched(run, plan)) return
  await run.record({ phase: 'staging', phase_progress: 0 })
  await inImportTransaction(run, (tx) => createStage(tx, account, row.id, plan))
  const done = await selectSlices(db, account, row.id)
  const total = Math.ceil(plan.rows / sliceRows)
  const timeZone = await accountTimeZone(db, account)

  const text = withCheckpoints(run, await openImportText(run))
  const pieces = cutBatches(text, {
    delimiter: delimiterOf(row.delimiter),
    columns: plan.fileColumns,
    groupStarts: plan.groupStarts,
    rowsPerBatch: sliceRows,
    skipBatch: (slice) => done.has(slice),
    firstNumber: 0n,
    prefixTail: '',
    keepsEmptyRows: !plan.skipsEmptyRows,
    empties: plan.misfits?.cells ?? [],
    ...(refuse && { refuse }),
    takesGuardsOff: await takesGuardsOff(db, account, delimiterOfText(row)),
  })
  await feedLanes(pieces, { lanes: laneCount, groups: plan.groupStarts.length }, async (slice, groups) => {
    await run.checkpoint()
    const range = { from: slice * sliceRows, to: Math.min((slice + 1) * sliceRows, plan.rows) }
    await stageSlice(run, plan, { slice, range, groups, timeZone })
    done.add(slice)
    await run.record({
      phase_progress: done.size / total,
      last_activity_at: new Date(),
      stalled_attempts: 0,
    })
  })
}

type Slice = { slice: number; range: RowRange; groups: Readable[]; timeZone: string }

/**
 * Stages one slice atomically. Only the first group's transaction records the slice, after the other groups of a wide
 * file are committed; leftovers of a dead worker in those are deleted first.
 */
async function stageSlice(run: FileRun, plan: StagePlan, slice: Slice): Promise<void> {
  const { account, row } = run
  const delimiter = delimiterOf(row.delimiter)
  const copy = (group: number, finish?: (db: Db) => Promise<void>) =>
    inImportTransaction(run, async (tx, connection) => {
      // Dates without a time zone are in the account's time zone.
      await setLocally(tx, 'TimeZone', slice.timeZone)
      // An import that has a plan was begun before.
      if (group > 0 && row.plan !== null) await deleteStaged(tx, account, row.id, group, slice.range)
      const bytes = slice.groups[group]
      if (!bytes) throw new Error(`group ${group} of a slice is missing`)
      await pipeline(bytes, connection.copyFrom(copyIntoStage(account, row.id, plan, group, delimiter)))
      await finish?.(tx)
    })
  const [, ...further] = plan.groupStarts.keys()
  const others = Promise.all(further.map((group) => copy(group)))
  // Errors surface through the first group's copy, which waits for this; the handler only avoids an unhandled
  // rejection.
  others.catch(() => {})
  await copy(0, async (db) => {
    await others
    await insertSlice(db, account, row.id, slice.slice)
  })
}

/** Matches each staged row to its contact, once for the whole file. */
export async function matchStage(run: FileRun, plan: ImportPlan): Promise<void> {
  const { account, row, database } = run
  if (await isMatched(run, plan)) return
  await run.checkpoint()
  const now = new Date()
  await run.record({
    phase: 'matching',
    phase_progress: 0,
    last_activity_at: now,
    ...(row.generate_purl && { purl_status: 'processing' as const, purl_started_at: row.purl_started_at ?? now }),
  })
  await giveFreeKeys(run)
  await indexStage(database.db, account, row.id, plan)
  const keys = keyColumns(row, plan.columns)
  await inImportTransaction(run, async (tx) => {
    await requireStaged(tx, account, row.id, plan)
    await makeKeys(tx, account, row, stagedSource(account, row.id, plan, keys), keys)
    await followMergedKeys(tx, account, stageTable(account, row.id, 'keys'))
    await matchRows(tx, account, row.id, purlRule(row))
    await requireMatched(tx, account, row.id, plan)
  })
  await run.record({ stalled_attempts: 0 })
}

/** Returns true if every row has been matched; an interrupted worker leaves none matched. */
export async function isMatched({ account, row, database }: FileRun, plan: StagePlan): Promise<boolean> {
  return plan.rows > 0 && (await countMatched(database.db, account, row.id)) === plan.rows
}

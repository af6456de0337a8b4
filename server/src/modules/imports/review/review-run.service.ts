import type { AccountId } from '@portico/contract/accounts'
import { reviewExamples } from '@portico/contract/import-review'
import { findByName } from '@portico/domain/names'
import { accountTimeZone } from '#accounts'
import { listContactFields } from '#contacts'
import { duplicateReason, listUniqueIndexes } from '#indexes'
import { isClusterWhole } from '#platform/citus/cluster-workers.ts'
import type { Db } from '#platform/database.ts'
import { completeJobRow, endColumns, updateJobRow } from '#platform/jobs/job-rows.ts'
import { AttemptLost, JobRefused, spentReason } from '#platform/jobs/job-runs.ts'
import { type JobAttempt, JobInterrupted } from '#platform/jobs/jobs.ts'
import { claimJob, runLocked } from '#platform/jobs/run-attempt.ts'
import type { FileRun, ImportDeps } from '../import-context.ts'
import { refusalBy } from '../import-mismatch.ts'
import { noneFits } from '../import-plan.ts'
import { examineColumns, settleColumns, wantedFields } from '../import-prepare.service.ts'
import { explain } from '../import-reason.ts'
import { importRefusal } from '../import-rights.ts'
import { raiseMemoryLimit } from '../loading/import-keys.service.ts'
import { matchStage, stageFile } from '../loading/import-stage.service.ts'
import { inImportTransaction } from '../loading/import-transaction.ts'
import { dropStage } from '../loading/stage.queries.ts'
import { countMisfits, type Examination } from '../reading/record-scanner-examine.ts'
import { FileRefused } from '../reading/source-text-refused.ts'
import { type MatchedFile, countFields, countOutcome, type RowTexts, selectRowTexts } from './review-outcome.queries.ts'
import { countKeys } from './review-keys.queries.ts'
import { keyFields } from './naming-fields.service.ts'
import { planReview, type ReviewPlan } from './review-plan.ts'
import { findRepeatedValues } from './unique-values.queries.ts'
import { type CountedOutcome, reviewJobs, type ReviewRow, selectReview, updateReview } from './review.queries.ts'

type Deps = Pick<ImportDeps, 'database' | 'storage' | 'log'>

/**
 * Reads a file as its import would: the rows are copied to working tables and matched with the contacts, which are not
 * changed. Contacts whose computed keys no other contact has get them, as before the import. The changes that the import would make are then counted. An interrupted attempt is repeated from the
 * beginning.
 */
export async function runReview(
  deps: Deps,
  account: AccountId,
  id: number,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  const { db } = deps.database
  await runLocked<ReviewRow>(
    deps.database,
    { account, kind: 'importReview', id },
    {
      claim: () =>
        claimJob(
          attempt,
          () => selectReview(db, account, id),
          (before, claimed) =>
            updateJobRow(db, account, reviewJobs, before, { ...claimed, last_activity_at: new Date() }),
        ),
      work: async (row) => {
        const spent = spentReason(row, row.recovery_error ?? 'The worker stopped repeatedly while reading this file.')
        if (spent !== null) throw new JobRefused(spent)
        const outcome = await review(deps, account, row, signal)
        await completeJobRow(db, account, reviewJobs, row, { phase: null, outcome: JSON.stringify(outcome) })
      },
      explain: (error, { settings }) => explain(db, account, settings, error),
      recoveries: (row) => row.recovery_count,
      onEnd: async (row, end) => {
        const change = { ...endColumns(row, end, attempt), phase: null }
        return (await updateJobRow(db, account, reviewJobs, row, change)) !== undefined
      },
    },
    signal,
  )
}

async function review(deps: Deps, account: AccountId, row: ReviewRow, signal: AbortSignal): Promise<CountedOutcome> {
  const { db } = deps.database
  const refusal = await importRefusal(deps.database, account, { acts_as: row.acts_as, holder: row.creator })
  if (refusal !== null) throw new JobRefused(refusal)
  const run: FileRun = {
    ...deps,
    account,
    row: { ...row.settings, id: row.id, plan: null, header: [] },
    record: ({ phase, phase_progress: progress }) =>
      updateReview(db, account, row.id, {
        ...(phase !== undefined && { phase }),
        ...(progress !== undefined && { phase_progress: progress }),
        last_activity_at: new Date(),
      }),
    checkpoint: async () => {
      if (!(await selectReview(db, account, row.id))) throw new AttemptLost()
      if (signal.aborted) throw new JobInterrupted()
    },
    signal,
    isClusterWhole: await isClusterWhole(db),
  }
  await run.checkpoint()
  const setAside: CountedOutcome['setAside'] = []
  const settled = await settleColumns(run)
  const { examined, columns, misfits } = await examineColumns(run, settled, {
    add: async ({ line, reason }) => {
      if (setAside.length < reviewExamples) setAside.push({ line, reason })
    },
  })
  const notLoaded = examined.setAside
  if (examined.rows === 0) throw new FileRefused(noneFits(notLoaded, setAside[0]))
  const plan = planReview(
    columns.map(({ position }) => position),
    wantedFields(columns, examined),
    findByName(await listContactFields(db, account), ({ name }) => name),
    { rows: examined.rows, columns: settled.names.length },
  )
  if (misfits) plan.misfits = misfits
  // Left by an interrupted attempt.
  await dropStage(db, account, row.id, plan)
  try {
    await stageFile(run, plan, misfits ? refusalBy(settled.names, misfits).refuse : undefined)
    await matchStage(run, plan)
    return { ...(await countLoaded(run, plan, examined)), setAsideRecords: notLoaded, setAside }
  } finally {
    await dropStage(db, account, row.id, plan).catch((error: unknown) =>
      deps.log.warn({ err: error, account, review: row.id }, 'working tables of a review are dropped later'),
    )
  }
}

async function countLoaded(
  run: FileRun,
  plan: ReviewPlan,
  examined: Examination,
): Promise<Omit<CountedOutcome, 'setAsideRecords' | 'setAside'>> {
  const { account, row, database } = run
  await run.record({ phase: 'loading', phase_progress: 0 })
  const file: MatchedFile = { id: row.id, plan, timeZone: await accountTimeZone(database.db, account) }
  return inImportTransaction(run, async (tx) => {
    await raiseMemoryLimit(tx)
    await requireUniqueValues(tx, run, file)
    const { created, updated, createdRows, updatedRows } = await countOutcome(tx, account, file, reviewExamples)
    await run.checkpoint()
    const fields = await countFields(tx, account, file)
    await run.checkpoint()
    const keys = row.dedup_columns.length > 0 ? await countKeys(tx, account, file, keyFields(row)) : null
    const newContacts = await selectRowTexts(tx, account, file, createdRows)
    const changedContacts = await selectRowTexts(tx, account, file, updatedRows)
    return {
      totalRecords: examined.rows,
      createdRecords: created,
      updatedRecords: updated,
      unchangedRecords: examined.rows - created - updated,
      setAsideCells: countMisfits(examined),
      emptyRecords: examined.emptyRows,
      fields: plan.columns.map(({ position, field, before }, index) => ({
        name: field.name,
        type: field.type,
        isNew: before === null,
        filled: fields[index]?.filled ?? 0,
        changed: fields[index]?.changed ?? 0,
        misfits: examined.misfits.get(position) ?? 0,
      })),
      keys,
      created: newContacts.map((texts) => valuesByField(plan, texts)),
      updated: changedContacts.map((texts) => ({ contact: texts.contact, changes: changesOf(plan, texts) })),
    }
  })
}

/** @throws FileRefused, as the import would, if two contacts would have the same values of a unique index */
async function requireUniqueValues(tx: Db, { account, checkpoint }: FileRun, file: MatchedFile): Promise<void> {
  for (const index of await listUniqueIndexes(tx, account)) {
    const values = await findRepeatedValues(tx, account, file, index)
    if (values !== null) {
      throw new FileRefused(duplicateReason({ ...index, fields: index.fields.map(({ name }) => name), values }))
    }
    await checkpoint()
  }
}

function valuesByField({ columns }: ReviewPlan, { values }: RowTexts): Record<string, string> {
  return Object.fromEntries(
    columns.flatMap(({ field }, index) => {
      const value = values[index]
      return value === null || value === undefined ? [] : [[field.name, value]]
    }),
  )
}

function changesOf({ columns }: ReviewPlan, { values, before, differs }: RowTexts) {
  return columns.flatMap(({ field }, index) => {
    const after = values[index] ?? null
    return after === null || !differs[index] ? [] : [{ field: field.name, before: before[index] ?? null, after }]
  })
}

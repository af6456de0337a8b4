import type { AccountId } from '@portico/contract/accounts'
import { countUpRemoteAccessVersion } from '#accounts'
import { type ContactField, listContactFields } from '#contacts'
import type { Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { columnsOf, typesOf } from './index-key.ts'
import { reconcileIndexJob } from './indexes.jobs.ts'
import {
  deleteIndexRow,
  type IndexRow,
  insertIndex,
  selectLookupIndexes,
  updateDeleting,
  updateIndex,
} from './indexes.queries.ts'
import { createIndex, lookupIndex } from './physical-indexes.queries.ts'

/** A lookup index: the fields, in the order of their ids and in one table, whose values find a contact. */
export type LookupIndex = {
  fieldIds: number[]
  state: 'ready' | 'building' | 'failed'
  /** Why it failed, as a sentence for users; null otherwise. */
  reason: string | null
  /** Types of its fields when it was built; while a field has another type, the index cannot be used. */
  builtFor: string | null
}

/** The lookup indexes of an account, without those being dropped. */
export async function listLookupIndexes(db: Db, account: AccountId): Promise<LookupIndex[]> {
  return (await selectLookupIndexes(db, account)).flatMap(({ state, reason, built_for: builtFor, ...row }) =>
    state === 'deleting' ? [] : [{ fieldIds: fieldIdsOf(row), state, reason, builtFor }],
  )
}

/**
 * Makes the lookup indexes of an account those over `wanted`: enqueues the builds of missing and failed ones, and the
 * removal of all others. Call in the transaction that changes what needs them. Two such transactions must not run at once.
 */
export async function setLookupIndexes(
  { tx, jobs }: { tx: Db; jobs: Jobs },
  account: AccountId,
  wanted: readonly (readonly ContactField[])[],
): Promise<void> {
  const rows = await selectLookupIndexes(tx, account)
  const isOver = (row: IndexRow, fields: readonly ContactField[]): boolean =>
    fieldIdsOf(row).join() === fields.map(({ id }) => id).join()
  for (const fields of wanted) {
    const row = rows.find((each) => isOver(each, fields))
    if (row?.state === 'ready' || row?.state === 'building') continue
    if (row?.state === 'failed') await deleteIndexRow(tx, account, row.id)
    const indexId =
      row?.state === 'deleting'
        ? (await updateIndex(tx, account, row.id, 'deleting', { state: 'building', attempts: 0 })) && row.id
        : (await insertIndex(tx, account, newRow(fields))).id
    if (indexId !== false) await jobs.enqueue(tx, reconcileIndexJob, { account, indexId })
  }
  for (const row of rows) {
    if (wanted.some((fields) => isOver(row, fields)) || !(await updateDeleting(tx, account, row.id))) continue
    await jobs.enqueue(tx, reconcileIndexJob, { account, indexId: row.id })
  }
  await countUpRemoteAccessVersion(tx, account)
}

/**
 * Builds the lookup indexes again that went with the earlier type of a field. Call in the transaction that has changed
 * types: callers of remote accesses wait for it as for the change itself, and are served right after both.
 */
export async function restoreLookupIndexes(tx: Db, account: AccountId): Promise<void> {
  const rows = (await selectLookupIndexes(tx, account)).filter(({ state }) => state === 'ready')
  if (rows.length === 0) return
  const fields = new Map((await listContactFields(tx, account)).map((field) => [field.id, field]))
  for (const row of rows) {
    const columns = columnsOf(row, fields)
    const builtFor = typesOf(columns)
    if (row.built_for === builtFor) continue
    // First, so that the index is not built for an access that is being deleted.
    if (!(await updateIndex(tx, account, row.id, 'ready', { built_for: builtFor }))) continue
    await createIndex(tx, account, lookupIndex(columns))
  }
}

function fieldIdsOf(row: Pick<IndexRow, 'field_1' | 'field_2'>): number[] {
  return row.field_2 === null ? [row.field_1] : [row.field_1, row.field_2]
}

function newRow(fields: readonly ContactField[]) {
  const [first, second] = fields
  if (!first) throw new Error('A lookup index has a field.')
  return {
    kind: 'lookup' as const,
    name: `lookup ${fields.map(({ id }) => id).join(' ')}`,
    field_1: first.id,
    order_1: 1 as const,
    field_2: second?.id ?? null,
    order_2: second ? (1 as const) : null,
    is_unique: false,
    // The portal's own.
    creator: '',
    created_at: new Date(),
    state: 'building' as const,
    reason: null,
    built_for: null,
  }
}

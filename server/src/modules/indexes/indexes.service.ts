import type { AccountId } from '@portico/contract/accounts'
import type { IndexKey, NewIndex } from '@portico/contract/indexes'
import { findByName, isSameName } from '@portico/domain/names'
import { messages } from '@portico/contract/messages'
import type { z } from 'zod'
import { recordAudit } from '#audit'
import { listContactFields, fieldsReadOfAll } from '#contacts'
import type { Actor } from '#platform/actor.ts'
import { withRoom } from '#platform/account-limits.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Caller } from '#platform/http/context.ts'
import { type Db, inTransaction, isUniqueViolation } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { columnsOf, customName, findKeyFields, keyOf, keySpec, requireFree } from './index-key.ts'
import { reconcileIndexJob } from './indexes.jobs.ts'
import { keptName } from './index-list.service.ts'
import {
  deleteIndexRow,
  type IndexRow,
  insertIndex,
  selectIndexes,
  selectTrigramIndexes,
  updateDeleting,
} from './indexes.queries.ts'
import { internalIndexes } from './internal-indexes.ts'
import type { IndexColumn } from './physical-indexes.queries.ts'

type Deps = { db: Db; jobs: Jobs }
type Draft = z.output<typeof NewIndex>

/**
 * Creates an index and enqueues its build. Replaces a failed index of the same name.
 * @throws invalid_input naming `fieldName1` or `fieldName2`; name_taken; limit_reached
 */
export async function createIndex(
  { db, jobs }: Deps,
  account: AccountId,
  by: Actor,
  { key, options }: Draft,
): Promise<{ name: string }> {
  for (let round = 1; ; round++) {
    const wanted = await planned(db, account, key, options.name)
    try {
      const countOthers = async (tx: Db): Promise<number> =>
        (await selectIndexes(tx, account)).filter(({ id }) => id !== wanted.failed?.id).length
      return await withRoom(db, account, 'customIndexes', countOthers, async (tx) => {
        // Again under the lock, where no field is deleted or gets another name.
        const { name, columns, failed } = await planned(tx, account, key, options.name)
        if (failed) await deleteIndexRow(tx, account, failed.id)
        const row = await insertIndex(tx, account, toRow(name, columns, options.unique, by.actor))
        await jobs.enqueue(tx, reconcileIndexJob, { account, indexId: row.id }, { person: by.actor })
        await audit(tx, account, by, 'index created', row, keyOf(columns))
        return { name }
      })
    } catch (error) {
      // A concurrent request took the name, the fields or the id; the next round finds out which.
      if (!isUniqueViolation(error) || round === mostRounds) throw error
    }
  }
}

/**
 * Makes sure that the caller may read the fields of an index of all contacts: a unique one tells who adds a contact whether another has its values.
 * @throws invalid_input, as for a field that does not exist
 */
export async function requireReadable(
  { db, caller }: { db: Db; caller: Pick<Caller, 'can' | 'rows'> },
  account: AccountId,
  key: IndexKey,
): Promise<void> {
  const names = key.map(([field]) => field)
  findKeyFields(await fieldsReadOfAll(caller, await listContactFields(db, account)), names)
}

/** The columns and the name of a wanted index, and the failed one that it replaces. @throws invalid_input, name_taken */
async function planned(db: Db, account: AccountId, key: Draft['key'], wanted: string | undefined) {
  const fields = findKeyFields(
    await listContactFields(db, account),
    key.map(([field]) => field),
  )
  const columns = fields.map((field, at): IndexColumn => ({ field, order: key[at]?.[1] ?? 1 }))
  const name = customName(wanted, keyOf(columns))
  const existing = await selectIndexes(db, account)
  requireFree(existing, name, columns)
  return { columns, name, failed: existing.find((row) => isSameName(row.name, name)) }
}

// More than indexes of an account are requested at the same moment.
const mostRounds = 100

function toRow(name: string, columns: readonly IndexColumn[], isUnique: boolean, creator: string) {
  const [first, second] = columns
  if (!first) throw invalidField('fieldName1', messages.required)
  return {
    name,
    field_1: first.field.id,
    order_1: first.order,
    field_2: second?.field.id ?? null,
    order_2: second?.order ?? null,
    is_unique: isUnique,
    creator,
    created_at: new Date(),
    state: 'building' as const,
    reason: null,
    built_for: null,
  }
}

/**
 * Enqueues the deletion of an index and stops its build. `key` is the name or the key spec.
 * @throws not_found, internal_index, invalid_input when several indexes have this key spec
 */
export async function deleteIndex(
  { db, jobs }: Deps,
  account: AccountId,
  by: Actor,
  key: string,
): Promise<{ name: string }> {
  const { row, fields } = await findIndex(db, account, key)
  await inTransaction(db, async (tx) => {
    // Requested before, so the job is already enqueued.
    if (!(await updateDeleting(tx, account, row.id))) return
    await jobs.enqueue(tx, reconcileIndexJob, { account, indexId: row.id }, { person: by.actor })
    await audit(tx, account, by, 'index deleted', row, fields)
  })
  return { name: row.name }
}

async function findIndex(db: Db, account: AccountId, key: string): Promise<{ row: IndexRow; fields: IndexKey }> {
  const catalogue = new Map((await listContactFields(db, account)).map((field) => [field.id, field]))
  const indexes = (await selectIndexes(db, account)).map((row) => ({ row, fields: keyOf(columnsOf(row, catalogue)) }))
  const named = findByName(indexes, ({ row }) => row.name)(key)
  if (named) return named
  const bySpec = indexes.filter(({ fields }) => isSameName(keySpec(fields), key))
  const [found] = bySpec.toSorted(
    (one, other) => Number(one.row.state === 'failed') - Number(other.row.state === 'failed'),
  )
  if (found && bySpec.filter(({ row }) => row.state !== 'failed').length < 2) return found
  if (found) throw invalidField('key', 'Several indexes have this key. Use the name of the index instead.')
  const isInternal = internalIndexes.some(({ name, field }) =>
    [name, keySpec([[field, 1]])].some((known) => isSameName(known, key)),
  )
  const isKept = (await selectTrigramIndexes(db, account)).some(({ field_1 }) =>
    isSameName(keptName(catalogue.get(field_1)?.name ?? ''), key),
  )
  throw new AppError(isInternal || isKept ? 'internal_index' : 'not_found')
}

async function audit(
  tx: Db,
  account: AccountId,
  by: Actor,
  action: string,
  row: IndexRow,
  key: IndexKey,
): Promise<void> {
  await recordAudit(tx, {
    account,
    ...by,
    action,
    subject: row.name,
    details: { key, unique: row.is_unique },
  })
}

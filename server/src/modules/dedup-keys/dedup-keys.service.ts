import type { AccountId } from '@portico/contract/accounts'
import type { DedupKeys, KeyComputation } from '@portico/contract/dedup-keys'
import { messages } from '@portico/contract/messages'
import { findByName } from '@portico/domain/names'
import { recordAudit } from '#audit'
import { fieldsReadOfAll, hasUnendedRetype, listContactFields, selectContactsUpTo } from '#contacts'
import { requireActsAs } from '#credentials'
import { isRestoring } from '#deletes'
import { userQuery } from '#filters'
import {
  countContactsToKey,
  countUnendedImports,
  countWithoutKeys,
  findDedupFields,
  hasContactsToKey,
  importsWithOwnKeys,
  insertKeyComputation,
  isComputingKeys,
  isTakingBack,
  type KeyComputationRow,
  namesOf,
  runImportJob,
  selectLastKeyComputation,
} from '#imports'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'

type Reading = { db: Db; signal: AbortSignal; caller: Caller }

/** @throws timed_out */
export async function getDedupKeys({ db, signal, caller }: Reading, account: AccountId): Promise<DedupKeys> {
  const row = await selectLastKeyComputation(db, account)
  const isRunning = row?.status === 'waiting' || row?.status === 'processing'
  return {
    contactsWithoutKey: isRunning
      ? 0
      : await userQuery({ db, signal }, (reader) => countContactsToKey(reader, account)),
    computation: row ? await toComputation(db, account, row, caller) : null,
  }
}

/**
 * Queues the job that computes keys for all contacts without one: those of before the first rule, and duplicates whose
 * counterpart with the key is gone. It takes turns with the account's imports. From now on, these
 * fields are the dedup columns of the account's imports, and of contacts that people change.
 * @throws invalid_input naming `dedupColumns`, also where none can get a key; import_running while an import or an
 * undo is unended; field_busy while a field's type is being changed; not_allowed
 */
export async function computeDedupKeys(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  { by, caller }: { by: Actor; caller: Caller },
  dedupColumns: string[],
): Promise<KeyComputation> {
  const request = { params: {}, query: {}, body: { dedupColumns } }
  const { actsAs } = await requireActsAs(caller, { account, call: 'computeDedupKeys', request })
  return withLock(db, accountLock('unendedImports', account), async (tx) => {
    await requireIdle(tx, account)
    const fields = await requireFields(tx, account, dedupColumns)
    await requireKeyless(tx, account, fields)
    const { count, upTo } = await selectContactsUpTo(tx, account, await importsWithOwnKeys(tx, account))
    const row = await insertKeyComputation(tx, account, {
      fields,
      creator: by.actor,
      acts_as: JSON.stringify(actsAs),
      created_at: new Date(),
      up_to: upTo,
      total_records: count,
    })
    await jobs.enqueue(tx, runImportJob, { account, computesKeys: row.id }, { person: by.actor })
    const subject = (await namesOf(tx, account, fields)).join(', ')
    await recordAudit(tx, { account, ...by, action: 'dedup keys computed', subject, details: { id: row.id } })
    return toComputation(tx, account, row, caller)
  })
}

/** @throws import_running, field_busy */
async function requireIdle(tx: Db, account: AccountId): Promise<void> {
  const isBusy =
    (await isComputingKeys(tx, account)) ||
    (await countUnendedImports(tx, account)) > 0 ||
    (await isTakingBack(tx, account)) ||
    (await isRestoring(tx, account))
  if (isBusy) throw new AppError('import_running', undefined, notNow)
  if (await hasUnendedRetype(tx, account)) throw new AppError('field_busy', undefined, notWhileRetyped)
}

const notNow = 'An import, an undo or another computation is running or waiting. Compute the keys when it has ended.'
const notWhileRetyped = 'The type of a field is being changed. Compute the keys when that has ended.'

/** Returns the numbers of the fields. @throws invalid_input */
async function requireFields(tx: Db, account: AccountId, names: readonly string[]): Promise<number[]> {
  const find = findByName(await listContactFields(tx, account), ({ name }) => name)
  const fields = names.map((name) => {
    const field = find(name)
    if (!field) throw invalidField('dedupColumns', `Contacts have no field "${name}".`)
    return field.id
  })
  if (new Set(fields).size < fields.length) throw invalidField('dedupColumns', messages.duplicate)
  return fields
}

/**
 * Requires contacts that can get a key, by the fields of the account's rule if there is one. A computation that was rejected
 * is made again.
 * @throws invalid_input
 */
async function requireKeyless(tx: Db, account: AccountId, fields: readonly number[]): Promise<void> {
  const rule = await findDedupFields(tx, account, await listContactFields(tx, account))
  if (rule.length > 0 && rule.map(({ id }) => id).join() !== fields.join()) {
    throw invalidField('dedupColumns', `Cannot be changed anymore: ${rule.map(({ name }) => name).join(', ')}`)
  }
  if ((await countWithoutKeys(tx, account)) > 0) return
  if ((await selectLastKeyComputation(tx, account))?.status === 'rejected') return
  if (await hasContactsToKey(tx, account, fields)) return
  throw invalidField('dedupColumns', 'There are no contacts without a dedup key.')
}

async function toComputation(
  db: Db,
  account: AccountId,
  row: KeyComputationRow,
  caller: Caller,
): Promise<KeyComputation> {
  const names = await namesOf(db, account, row.fields)
  const read = await fieldsReadOfAll(
    caller,
    names.map((name) => ({ name })),
  )
  return {
    _id: row.id,
    dedupColumns: names,
    status: row.status,
    creator: row.creator,
    creationDate: row.created_at.toISOString(),
    totalRecords: Number(row.total_records),
    processedRecords: Number(row.processed_records),
    keyedRecords: Number(row.keyed_records),
    blankRecords: Number(row.blank_records),
    duplicateRecords: Number(row.duplicate_records),
    duplicates: read.length === names.length ? row.duplicates : [],
    reason: row.reason,
  }
}

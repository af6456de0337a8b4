import { parseJson } from '@portico/contract/json-values'
import { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import type { ChangedSavedFilter, NewSavedFilter, SavedFilter, SavedFilterEntry } from '@portico/contract/saved-filters'
import type { z } from 'zod'
import { changedValues, recordAudit } from '#audit'
import { compileAggregate, expandPredefined, openContactSource } from '#filters'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction, isUniqueViolation } from '#platform/database.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import {
  deleteOwnFilter,
  insertSavedFilter,
  lockOwnFilter,
  type SavedFilterRow,
  selectSavedFilter,
  selectSavedFilters,
  updateOwnFilter,
} from './saved-filters.queries.ts'

type Draft = z.output<typeof NewSavedFilter>
type Change = z.output<typeof ChangedSavedFilter>

export async function listSavedFilters(db: Db, account: AccountId): Promise<SavedFilterEntry[]> {
  return (await selectSavedFilters(db, account)).map((row) => toSavedFilter(account, row))
}

/** @throws not_found, also for a filter of the parent account that is not shown here */
export async function getSavedFilter(db: Db, account: AccountId, id: string): Promise<SavedFilter> {
  return toSavedFilter(account, await requireVisible(db, account, id))
}

/**
 * The stages of a saved filter that the account may use: its own, or one that its parent account shows in sub-accounts.
 * Null if there is none. Saved filters that the parent's filter uses are expanded, since they may be hidden here. Names of
 * fields are not looked up.
 * @throws invalid_filter if the parent's filter uses one that was deleted
 */
export async function savedFilterStages(db: Db, account: AccountId, id: string): Promise<Stages | null> {
  const row = await findVisible(db, account, id)
  if (!row) return null
  const stages = Stages.parse(JSON.parse(row.aggregate_query))
  const owner = row.account_id
  return owner === account ? stages : expandPredefined(stages, (inner) => savedFilterStages(db, owner, inner))
}

/** @throws name_taken, invalid_filter, invalid_input naming the field */
export async function createSavedFilter(db: Db, account: AccountId, by: Actor, draft: Draft): Promise<SavedFilter> {
  await checkQuery(db, account, draft.aggregateQuery, null)
  const now = new Date()
  return changing(db, account, by, 'saved filter created', (tx) =>
    insertSavedFilter(tx, account, {
      id: crypto.randomUUID(),
      ...toColumns(draft),
      creator: by.actor,
      created_at: now,
      updated_at: now,
    }),
  )
}

/** @throws not_found, parent_filter, newer_version, name_taken, invalid_filter, invalid_input naming the field */
export async function updateSavedFilter(
  db: Db,
  account: AccountId,
  by: Actor,
  id: string,
  draft: Change,
): Promise<SavedFilter> {
  const known = await requireOwn(db, account, id)
  await checkQuery(db, account, draft.aggregateQuery, id)
  return changing(db, account, by, 'saved filter changed', async (tx) => {
    const before = await lockOwnFilter(tx, account, known.id)
    if (!before) return undefined
    requireVersion(before, draft.version)
    const { name, aggregateQuery, showInSubaccounts } = draft
    const fields = Object.keys(
      changedValues(toSavedFilter(account, before), { name, aggregateQuery, showInSubaccounts }),
    )
    const next = nextVersion(before, by, fields)
    return updateOwnFilter(tx, account, before, { ...toColumns(draft), ...next, updated_at: new Date() })
  })
}

/** @throws not_found, parent_filter */
export async function deleteSavedFilter(db: Db, account: AccountId, by: Actor, id: string): Promise<void> {
  await requireOwn(db, account, id)
  await changing(db, account, by, 'saved filter deleted', (tx) => deleteOwnFilter(tx, account, id))
}

/** Makes a change and records it in the audit log, in one transaction. */
async function changing(
  db: Db,
  account: AccountId,
  by: Actor,
  action: string,
  change: (tx: Db) => Promise<SavedFilterRow | undefined>,
): Promise<SavedFilter> {
  try {
    const row = await inTransaction(db, async (tx) => {
      const changed = await change(tx)
      // Deleted by another request meanwhile.
      if (!changed) throw new AppError('not_found')
      await recordAudit(tx, {
        account,
        ...by,
        action,
        subject: changed.name,
        details: {
          id: changed.id,
          aggregateQuery: changed.aggregate_query,
          showInSubaccounts: changed.show_in_subaccounts,
        },
      })
      return changed
    })
    return toSavedFilter(account, row)
  } catch (error) {
    throw isUniqueViolation(error)
      ? new AppError('name_taken', [{ field: 'name', message: 'Value is duplicate!' }])
      : error
  }
}

/**
 * Compiles the query, so that no invalid filter is saved. A filter shown in sub-accounts is compiled for this account; a
 * sub-account that lacks one of its fields gets the error when the filter is used.
 */
async function checkQuery(db: Db, account: AccountId, query: string, ownId: string | null): Promise<void> {
  const stages = readQuery(query)
  // The filter itself is looked up in its new form, which refuses a filter that uses itself.
  const find = async (id: string) => (id === ownId ? stages : savedFilterStages(db, account, id))
  compileAggregate(await expandPredefined(stages, find), await openContactSource(db, account))
}

function readQuery(query: string): Stages {
  let read: unknown
  try {
    read = parseJson(query)
  } catch (error) {
    throw invalidField('aggregateQuery', error instanceof Error ? error.message : 'Value is invalid!')
  }
  if (!Array.isArray(read)) throw invalidField('aggregateQuery', 'Should be an array')
  const stages = Stages.safeParse(read)
  if (!stages.success) throw invalidField('aggregateQuery', 'Each stage of a filter has exactly one operator.')
  return stages.data
}

async function findVisible(db: Db, account: AccountId, id: string): Promise<SavedFilterRow | undefined> {
  if (!isFilterId(id)) return undefined
  return selectSavedFilter(db, account, id)
}

async function requireVisible(db: Db, account: AccountId, id: string): Promise<SavedFilterRow> {
  const row = await findVisible(db, account, id)
  if (!row) throw new AppError('not_found')
  return row
}

async function requireOwn(db: Db, account: AccountId, id: string): Promise<SavedFilterRow> {
  const row = await requireVisible(db, account, id)
  if (row.account_id !== account) throw new AppError('parent_filter')
  return row
}

function isFilterId(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
}

function toColumns({ name, aggregateQuery, showInSubaccounts }: Draft) {
  return { name, aggregate_query: aggregateQuery, show_in_subaccounts: showInSubaccounts }
}

function toSavedFilter(account: AccountId, row: SavedFilterRow): SavedFilter {
  return {
    _id: row.id,
    version: row.version,
    name: row.name,
    aggregateQuery: row.aggregate_query,
    showInSubaccounts: row.show_in_subaccounts,
    isOwn: row.account_id === account,
  }
}

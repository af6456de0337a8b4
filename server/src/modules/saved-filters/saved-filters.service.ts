import { parseJson } from '@portico/contract/json-values'
import { contactsApi } from '@portico/contract/contacts'
import { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import type {
  ChangedSavedFilter,
  NewSavedFilter,
  SavedFilter,
  SavedFilterEntry,
  savedFiltersApi,
} from '@portico/contract/saved-filters'
import { messages } from '@portico/contract/messages'
import type { z } from 'zod'
import { requireActor } from '#access'
import { changedValues, recordAudit } from '#audit'
import {
  compileAggregate,
  type ContactSource,
  expandPredefined,
  type FindPredefined,
  openContactSource,
} from '#filters'
import type { Actor } from '#platform/actor.ts'
import { withRoom } from '#platform/account-limits.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction, isUniqueViolation } from '#platform/database.ts'
import type { Caller, Refusal, RequestParts } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import { findVisible, requireOwn, requireVisible } from './found-filter.ts'
import { expandOfParent, stagesOfRow } from './parent-stages.service.ts'
import {
  countOwnFilters,
  deleteOwnFilter,
  insertSavedFilter,
  type ListedFilter,
  lockOwnFilter,
  type SavedFilterRow,
  selectSavedFilters,
  updateOwnFilter,
} from './saved-filters.queries.ts'
import { deleteVersions } from './versions.queries.ts'
import { keepVersion } from './versions.service.ts'

type Draft = z.output<typeof NewSavedFilter>
type Change = z.output<typeof ChangedSavedFilter>

export async function listSavedFilters(db: Db, account: AccountId): Promise<SavedFilterEntry[]> {
  return (await selectSavedFilters(db, account)).map((row) => toEntry(account, row))
}

/** @throws not_found, also for a filter of the parent account that is not shown here */
export async function getSavedFilter(db: Db, account: AccountId, id: string): Promise<SavedFilter> {
  return toSavedFilter(account, await requireVisible(db, account, id))
}

/**
 * The stages of a saved filter that the account may use: its own, or one that its parent account shows in sub-accounts.
 * Null if there is none. Saved filters within the parent's filter are expanded, since they may be hidden here. Names of
 * fields are looked up only where one is hidden (`expandOfParent`). `before`: the stages after which it is used. `source`:
 * the fields that such a one must fit, if not the present ones of the account.
 * @throws invalid_filter if the parent's filter uses one that was deleted, or one not shown here that does not fit
 */
export async function savedFilterStages(
  db: Db,
  account: AccountId,
  id: string,
  { before = [], source }: { before?: Stages; source?: ContactSource | undefined } = {},
): Promise<Stages | null> {
  const row = await findVisible(db, account, id)
  if (!row) return null
  const owner = row.account_id
  if (owner === account) return stagesOfRow(row)
  return expandOfParent(db, account, { row, before, find: findSaved(db, owner), source })
}

/** Finds stages by `savedFilterStages`. */
export const findSaved =
  (db: Db, account: AccountId, source?: ContactSource): FindPredefined =>
  (id, before) =>
    savedFilterStages(db, account, id, { before, source })

/** The stages of a filter as it was saved, with names of others, and the account that has these; null if there is none. */
export async function namedStages(
  db: Db,
  account: AccountId,
  id: string,
): Promise<{ stages: Stages; owner: AccountId } | null> {
  const row = await findVisible(db, account, id)
  return row ? { stages: stagesOfRow(row), owner: row.account_id } : null
}

/**
 * The stages with all that the account may read of filters in place of their names. Those of the parent account that are
 * not shown here stay names. For stages that `expandSaved` accepts: no filter is part of itself.
 */
export async function readableStages(db: Db, account: AccountId, stages: Stages): Promise<Stages> {
  const readable: Stages = []
  for (const stage of stages) {
    const named = await namedBy(db, account, stage)
    readable.push(...(named ? await readableStages(db, account, named.stages) : [stage]))
  }
  return readable
}

/**
 * The same, but a filter with a part that the account may not read stays a name as a whole: the account may use that
 * part only within it.
 */
export async function readableWholes(db: Db, account: AccountId, stages: Stages): Promise<Stages> {
  const readable: Stages = []
  for (const stage of stages) {
    const named = await namedBy(db, account, stage)
    const within = named && (await readableStages(db, account, named.stages))
    readable.push(...(within && !within.some(isName) ? within : [stage]))
  }
  return readable
}

const isName = ({ $predefined: id, ...more }: Stages[number]): boolean =>
  typeof id === 'string' && Object.keys(more).length === 0

async function namedBy(db: Db, account: AccountId, stage: Stages[number]) {
  const { $predefined: id } = stage
  return typeof id === 'string' && isName(stage) ? namedStages(db, account, id) : null
}

/**
 * Saves a filter of a caller, or (`saver` null) of the portal itself.
 * @throws name_taken, limit_reached, invalid_filter, invalid_input naming the field; not_allowed
 */
export async function createSavedFilter(
  db: Db,
  account: AccountId,
  by: Actor,
  draft: Draft,
  saver: Saver | null,
): Promise<SavedFilter> {
  const stages = await checkQuery(db, account, draft.aggregateQuery, null)
  const holder = saver && (await requireSaver(saver, stages, draft))
  const now = new Date()
  const row = { ...toColumns(draft), creator: by.actor, holder, created_at: now, updated_at: now }
  return withRoom(db, account, 'savedFilters', countOwnFilters, (tx) =>
    changing(tx, account, by, 'saved filter created', async (inner) => {
      const saved = await insertSavedFilter(inner, account, { id: crypto.randomUUID(), ...row })
      await keepVersion(inner, account, saved)
      return saved
    }),
  )
}

/**
 * @throws not_found, parent_filter, not_allowed, newer_version, name_taken, invalid_filter, invalid_input naming the
 * field
 */
export async function updateSavedFilter(
  db: Db,
  account: AccountId,
  by: Actor,
  id: string,
  draft: Change,
  saver: Saver,
): Promise<SavedFilter> {
  const known = await requireOwn(db, account, id)
  const stages = await checkQuery(db, account, draft.aggregateQuery, id)
  const holder = await requireSaver(saver, stages, draft)
  return changing(db, account, by, 'saved filter changed', async (tx) => {
    const before = await lockOwnFilter(tx, account, known.id)
    if (!before) return undefined
    requireVersion(before, draft.version)
    const { name, aggregateQuery, showInSubaccounts } = draft
    const fields = Object.keys(
      changedValues(toSavedFilter(account, before), { name, aggregateQuery, showInSubaccounts }),
    )
    const next = nextVersion(before, by, fields)
    const columns = { ...toColumns(draft), holder, ...next, updated_at: new Date() }
    const saved = await updateOwnFilter(tx, account, before, columns)
    if (saved) await keepVersion(tx, account, saved, before)
    return saved
  })
}

/** @throws not_found, parent_filter */
export async function deleteSavedFilter(db: Db, account: AccountId, by: Actor, id: string): Promise<void> {
  await requireOwn(db, account, id)
  await changing(db, account, by, 'saved filter deleted', async (tx) => {
    await deleteVersions(tx, account, id)
    return deleteOwnFilter(tx, account, id)
  })
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
      // Another request has deleted it in the meantime.
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
      ? new AppError('name_taken', [{ field: 'name', message: messages.duplicate }])
      : error
  }
}

/**
 * Compiles the query, so no invalid filter is saved. A filter shown in sub-accounts is compiled for this account; a
 * sub-account that lacks one of its fields gets the error when the filter is used. Returns its stages, including those
 * of the filters it uses.
 */
export async function checkQuery(db: Db, account: AccountId, query: string, ownId: string | null): Promise<Stages> {
  const stages = readQuery(query)
  // The filter itself is looked up in its new form, so a filter that uses itself is refused.
  const find: FindPredefined = async (id, before) =>
    id === ownId ? stages : savedFilterStages(db, account, id, { before })
  const expanded = await expandPredefined(stages, find)
  compileAggregate(expanded, await openContactSource(db, account, { rows: null }))
  return expanded
}

/** The caller who saves a filter, and the call. */
type Saver = {
  caller: Caller
  route: typeof savedFiltersApi.createSavedFilter | typeof savedFiltersApi.updateSavedFilter
  params: object
}

/**
 * The holder with whose rights a filter is used: the caller's first identity that alone may save it and search with its
 * stages.
 * @throws not_allowed
 */
export async function requireSaver({ caller, route, params }: Saver, stages: Stages, draft: Draft): Promise<string> {
  const { access: searching } = contactsApi.listOffers
  const requestWith = (aggregateQuery: string): RequestParts =>
    judgedParts(route, { params, query: {}, body: { ...draft, aggregateQuery } })
  const asked = [requestWith(draft.aggregateQuery), requestWith(JSON.stringify(stages))]
  const { holder } = await requireActor(caller, (actor) => {
    const refusals = asked.flatMap((request) => actor.refusal(route, request) ?? [])
    return refusals[0] ?? (actor.can(searching, searchWith(stages)) ? null : searchRefused)
  })
  return holder
}

const searchRefused: Refusal = {
  code: 'not_allowed',
  message: 'Your policies do not allow to search contacts with this filter, so you may not save it.',
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

/** The request of a search with these stages. */
export const searchWith = (find: Stages): RequestParts =>
  judgedParts(contactsApi.listOffers, { params: {}, query: { find }, body: undefined })

function toColumns({ name, aggregateQuery, showInSubaccounts }: Draft) {
  return { name, aggregate_query: aggregateQuery, show_in_subaccounts: showInSubaccounts }
}

function toSavedFilter(account: AccountId, row: SavedFilterRow): SavedFilter {
  return { ...toEntry(account, row), aggregateQuery: row.aggregate_query }
}

function toEntry(account: AccountId, row: ListedFilter): SavedFilterEntry {
  return {
    _id: row.id,
    version: row.version,
    name: row.name,
    showInSubaccounts: row.show_in_subaccounts,
    isOwn: row.account_id === account,
  }
}

import type { AccountId } from '@portico/contract/accounts'
import { readColumnList, writeColumnList } from '@portico/contract/column-list'
import type { ListQuery } from '@portico/contract/list-query'
import { messages } from '@portico/contract/messages'
import type { ChangedRemoteAccess, RemoteAccess, RemoteAccessDraft } from '@portico/contract/remote-access'
import { neverPublicColumns, readAuthentication, writeAuthentication } from '@portico/contract/remote-access/rules'
import { findByName, isSameName } from '@portico/domain/names'
import type { z } from 'zod'
import { changedValues, recordAudit } from '#audit'
import { type ContactField, listContactFields } from '#contacts'
import { actsAsRefusal, requireActsAs } from '#credentials'
import { listRows, type QueryContext } from '#filters'
import { builtForOf, type LookupIndex, listLookupIndexes, setLookupIndexes } from '#indexes'
import type { Actor } from '#platform/actor.ts'
import { requireRoom } from '#platform/account-limits.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import { lookupUnits } from './lookup-units.ts'
import { requireOwnDomain } from './public-suffix.ts'
import {
  deleteAccess,
  insertAccess,
  listedAccesses,
  selectAccess,
  selectAccesses,
  updateAccess,
  withAccessesLocked,
} from './remote-accesses.queries.ts'
import type { RemoteAccessRow } from './tables.ts'
import { isRowNumber } from '#platform/ids.ts'

type Deps = { database: Pick<Database, 'db' | 'pool'>; jobs: Jobs }

/** @throws invalid_filter, invalid_input for `select` */
export async function listRemoteAccesses(
  { pool, ...context }: QueryContext & Pick<Database, 'pool'>,
  account: AccountId,
  query: ListQuery,
): Promise<RemoteAccess[] | { count: number }> {
  const found = await listRows<RemoteAccessRow>(context, account, listedAccesses, query)
  if (!Array.isArray(found)) return found
  const facts = await indexFacts(context.db, account)
  const accesses: RemoteAccess[] = []
  for (const row of found) accesses.push(await toRemoteAccess({ db: context.db, pool }, account, row, facts))
  return accesses
}

/**
 * Saves a remote access of a caller, or (null) of the portal itself.
 * @throws invalid_input naming `domainOrIp`, `includeSubDomains`, `filter` or `publicColumns`; limit_reached,
 * not_allowed
 */
export async function createRemoteAccess(
  deps: Deps,
  account: AccountId,
  by: Actor,
  draft: RemoteAccessDraft,
  caller: Caller | null,
): Promise<RemoteAccess> {
  requireOwnDomain(draft)
  const columns = readColumns(await listContactFields(deps.database.db, account), draft)
  const request = { params: {}, query: {}, body: draft }
  const acting = caller && (await requireActsAs(caller, { account, call: 'createRemoteAccess', request }))
  return changing(deps, account, by, 'remote access created', async (tx) => {
    requireRoom('remoteAccesses', (await selectAccesses(tx, account)).length)
    return insertAccess(tx, account, {
      ...toColumns(draft, columns),
      is_paused: draft.isPaused ?? false,
      expires_at: draft.expiresAt ? new Date(draft.expiresAt) : null,
      creator: by.actor,
      created_at: new Date(),
      acts_as: acting && JSON.stringify(acting.actsAs),
    })
  })
}

/** @throws not_found */
export async function getRemoteAccess(
  database: Pick<Database, 'db' | 'pool'>,
  account: AccountId,
  id: string,
): Promise<RemoteAccess> {
  const { db } = database
  return toRemoteAccess(database, account, await requireAccess(db, account, id), await indexFacts(db, account))
}

/**
 * `isPaused` and `expiresAt` stay unchanged if the draft omits them.
 * @throws not_found, newer_version; invalid_input as above
 */
export async function updateRemoteAccess(
  deps: Deps,
  account: AccountId,
  { by, caller }: { by: Actor; caller: Caller },
  id: string,
  draft: z.output<typeof ChangedRemoteAccess>,
): Promise<RemoteAccess> {
  const { db } = deps.database
  await requireAccess(db, account, id)
  requireOwnDomain(draft)
  const request = { params: { id }, query: {}, body: draft }
  const { actsAs } = await requireActsAs(caller, { account, call: 'updateRemoteAccess', request })
  const columns = readColumns(await listContactFields(db, account), draft)
  const { isPaused, expiresAt } = draft
  return changing(deps, account, by, 'remote access changed', async (tx) => {
    // `changing` has locked all accesses of the account.
    const before = await selectAccess(tx, account, id)
    if (!before) return undefined
    requireVersion(before, draft.version)
    const change = {
      ...toColumns(draft, columns),
      ...(isPaused !== undefined && { is_paused: isPaused }),
      ...(expiresAt !== undefined && { expires_at: expiresAt === null ? null : new Date(expiresAt) }),
    }
    const fields = Object.keys(changedValues(wireValues(before), wireValues({ ...before, ...change })))
    const acts_as = JSON.stringify(actsAs)
    return updateAccess(tx, account, id, { ...change, acts_as, ...nextVersion(before, by, fields) })
  })
}

/** @throws not_found */
export async function deleteRemoteAccess(deps: Deps, account: AccountId, by: Actor, id: string): Promise<void> {
  await requireAccess(deps.database.db, account, id)
  await changing(deps, account, by, 'remote access deleted', (tx) => deleteAccess(tx, account, id))
}

/** @throws not_found */
export async function requireAccess(db: Db, account: AccountId, id: string): Promise<RemoteAccessRow> {
  // Longer numbers do not fit into an id.
  const row = isRowNumber(id) ? await selectAccess(db, account, id) : undefined
  if (!row) throw new AppError('not_found')
  return row
}

/** Makes a change with its audit entry, and requests the indexes that the accesses need after it. */
async function changing(
  { database, jobs }: Deps,
  account: AccountId,
  by: Actor,
  action: string,
  change: (tx: Db) => Promise<RemoteAccessRow | undefined>,
): Promise<RemoteAccess> {
  return withAccessesLocked(database.db, account, async (tx) => {
    const row = await change(tx)
    // Another request has deleted it in the meantime.
    if (!row) throw new AppError('not_found')
    const fields = await listContactFields(tx, account)
    const accesses = await selectAccesses(tx, account)
    await setLookupIndexes({ tx, jobs }, account, neededIndexes(fields, accesses))
    await recordAudit(tx, { account, ...by, action, subject: row.domain_or_ip, details: auditDetails(row) })
    return toRemoteAccess({ ...database, db: tx }, account, row, await indexFacts(tx, account))
  })
}

const auditDetails = (row: RemoteAccessRow) => ({ id: row.id, ...settingsOf(row) })

/** The values that a change can affect. */
const wireValues = (row: RemoteAccessRow) => ({ domainOrIp: row.domain_or_ip, ...settingsOf(row) })

function settingsOf(row: RemoteAccessRow) {
  return {
    type: row.type,
    includeSubDomains: row.include_sub_domains,
    filter: writeAuthentication(row.authentication_columns),
    publicColumns: writeColumnList(row.public_columns),
    isPaused: row.is_paused,
    expiresAt: row.expires_at?.toISOString() ?? null,
  }
}

/** One index for each set of fields, regardless of how many accesses use it. */
function neededIndexes(fields: readonly ContactField[], accesses: readonly RemoteAccessRow[]): ContactField[][] {
  const needed = new Map<string, ContactField[]>()
  for (const { authentication_columns: columns } of accesses) {
    for (const unit of lookupUnits(fields, columns)?.indexed ?? []) {
      needed.set(unit.map(({ id }) => id).join(), unit)
    }
  }
  return [...needed.values()]
}

type Columns = { authentication: string[]; public: string[] }

/**
 * The columns of a draft in the spelling of the fields.
 * @throws invalid_input naming `filter` or `publicColumns`
 */
export function readColumns(fields: readonly ContactField[], draft: RemoteAccessDraft): Columns {
  const find = findByName([...fields.map(({ name }) => name), '_id', 'purl'], (name) => name)
  const known = (field: string, name: string): string => {
    const found = find(name)
    if (found === undefined) throw invalidField(field, `${messages.invalid} There is no column "${name}".`)
    return found
  }
  // The contract has validated both, and has written them in a form that can be read again.
  const authentication = (readAuthentication(draft.filter) ?? []).map((name) => known('filter', name))
  const listed = readColumnList(draft.publicColumns) ?? []
  const isNeverPublic = (name: string): boolean => neverPublicColumns.some((never) => isSameName(never, name))
  const hidden = listed.find(isNeverPublic)
  if (hidden !== undefined) throw invalidField('publicColumns', `${messages.notAllowed} "${hidden}" is never public.`)
  const columns = { authentication, public: [...new Set(listed.map((name) => known('publicColumns', name)))] }
  if (columns.public.length === 0) throw invalidField('publicColumns', messages.required)
  if (new Set(authentication).size < authentication.length) throw invalidField('filter', messages.duplicate)
  return columns
}

function toColumns(draft: RemoteAccessDraft, columns: Columns) {
  return {
    type: draft.type,
    domain_or_ip: draft.domainOrIp,
    include_sub_domains: draft.type === 'domain' && draft.includeSubDomains,
    authentication_columns: columns.authentication,
    public_columns: columns.public,
  }
}

/** Fields and indexes of an account, which decide whether the contacts of an access can be looked up. */
export type IndexFacts = { fields: ContactField[]; indexes: LookupIndex[] }

async function indexFacts(db: Db, account: AccountId): Promise<IndexFacts> {
  return { fields: await listContactFields(db, account), indexes: await listLookupIndexes(db, account) }
}

/** State of the indexes of an access: ready if all are, and failed if one is. */
export function indexState({ fields, indexes }: IndexFacts, columns: readonly string[]): RemoteAccess['index'] {
  const units = lookupUnits(fields, columns)
  if (!units) return { state: 'failed', reason: 'A column no longer exists.' }
  const states = units.indexed.map((unit) => {
    const index = indexes.find(({ fieldIds }) => fieldIds.join() === unit.map(({ id }) => id).join())
    const isOutdated = index?.state === 'ready' && index.builtFor !== builtForOf(unit)
    return index && !isOutdated ? index : { state: 'building' as const, reason: null }
  })
  const failed = states.find(({ state }) => state === 'failed')
  if (failed) return { state: 'failed', reason: failed.reason }
  return { state: states.every(({ state }) => state === 'ready') ? 'ready' : 'building', reason: null }
}

async function toRemoteAccess(
  database: Pick<Database, 'db' | 'pool'>,
  account: AccountId,
  row: RemoteAccessRow,
  facts: IndexFacts,
): Promise<RemoteAccess> {
  return {
    _id: row.id,
    version: row.version,
    accountId: account,
    type: row.type,
    domainOrIp: row.domain_or_ip,
    includeSubDomains: row.include_sub_domains,
    filter: writeAuthentication(row.authentication_columns),
    publicColumns: writeColumnList(row.public_columns),
    creationDate: row.created_at.toISOString(),
    creator: row.creator,
    isPaused: row.is_paused,
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    stopped: row.acts_as && (await actsAsRefusal(database, row.acts_as)),
    index: indexState(facts, row.authentication_columns),
  }
}

import type { AccountId } from '@portico/contract/accounts'
import { api } from '@portico/contract/api'
import type { Stages } from '@portico/contract/filter'
import type { Action, Route } from '@portico/contract/route'
import type pg from 'pg'
import { requireActor } from '#access'
import { isAccountOpen } from '#accounts'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller, JudgedRequest, Refusal, RequestParts } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import { type LinkGrant, ruleOf } from '#platform/storage.ts'
import { actingHolder } from './acting-holder.service.ts'
import { readingRight } from './reading-right.service.ts'

/** A right of a holder, and the request by which it is judged. */
type Grant = Omit<LinkGrant, 'request'> & { request: JudgedRequest }

/**
 * Why the holder of a grant may no longer do what it was given for, in words for users; null while they may. A grant
 * without a request is for a file of an earlier release, which stored none: its conditions count as met, and a
 * suspended account ends it, even if its creator is a power admin.
 */
export async function grantRefusal(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  { holder, account, ...right }: Grant,
): Promise<string | null> {
  if (right.request === null && !(await isAccountOpen(db, account))) return 'This account is suspended.'
  const acting = await actingHolder(pool, account, holder)
  return 'refusal' in acting ? acting.refusal : rightRefusal(acting.caller, right)
}

function rightRefusal(
  caller: Caller,
  { access, action, request, rule }: Pick<Grant, 'access' | 'action' | 'request' | 'rule'>,
): string | null {
  const right = action ?? access
  if (caller.refusal({ access, action }, request)) {
    return `The policies of ${caller.email} no longer allow it (${right}).`
  }
  const rows = caller.rows({ access, action }, request)
  return rows === null || ruleOf(rows).rule === rule ? null : noLongerSeen(caller)
}

const noLongerSeen = ({ email }: Caller): string => `${email} may no longer see all of its contacts.`

/** A call of the contract, with the parsed parts of its request. */
export type StoredRequest = { call: StoredCall; request: RequestParts }

/**
 * The call of the contract that allowed something to be stored, and the parsed parts of its request: it ends when its
 * holder may no longer make the call. The output of a cron also ends when the cron may no longer be saved, and a file
 * when a cell in it may no longer be read.
 */
export type ActsAs = StoredRequest & { holder: string; account: AccountId } & Pick<LinkGrant, 'rule'> & {
    /** The call that saved the cron. */
    cron?: StoredRequest
    /** The cells in the file. */
    cells?: StoredCell[]
  }

/**
 * A cell of a report: the call by which a viewer reads it, the searches for its contacts, the holder whose right they
 * use besides the viewer's, and the digest of the row rule that limited them.
 */
export type StoredCell = StoredRequest & { searches: RequestParts[]; saver: string | null } & Pick<LinkGrant, 'rule'>

/** Calls with an action, by which stored items are judged again. */
type StoredCall =
  | 'createExport'
  | 'createImport'
  | 'undoImport'
  | 'computeDedupKeys'
  | 'deleteOffers'
  | 'restoreDelete'
  | 'createRemoteAccess'
  | 'updateRemoteAccess'
  | 'createCron'
  | 'updateCron'
  | 'getDashboard'
  | 'answerCell'

/** A call by which a caller stores something that is judged again later. */
type Storing = StoredRequest & { account: AccountId }

/**
 * The right of a caller to store something by a call: that of their first identity which alone may make it. Also
 * returns the contacts that this identity may see; null for all contacts.
 * @param alsoRefused why an identity that may make the call may not do everything it asks for
 * @throws not_allowed
 */
export async function requireActsAs(
  caller: Caller,
  { account, call, request }: Storing,
  alsoRefused: (actor: Caller) => Refusal | null = () => null,
): Promise<{ actsAs: ActsAs; rows: Stages | null }> {
  const { access, request: judged } = judgedCall({ call, request })
  const actor = await requireActor(
    caller,
    (each) =>
      each.refusal({ access }, judged) ?? openingRefusal(call, each.rows({ access }, judged)) ?? alsoRefused(each),
  )
  const rows = actor.rows({ access }, judged)
  return { actsAs: { holder: actor.holder, account, call, request, ...ruleOf(rows) }, rows }
}

/**
 * The right of a caller to work that they start by a call and that a worker judges again. Their holder is a person with
 * all their identities, since the work ends within minutes.
 * @throws not_allowed
 */
export async function actsAsCaller(
  pool: pg.Pool,
  { holder }: Pick<Caller, 'holder'>,
  { account, call, request }: Storing,
): Promise<ActsAs> {
  const acting = await actingHolder(pool, account, holder)
  if ('refusal' in acting) throw new AppError('not_allowed', undefined, acting.refusal)
  const { access, request: judged } = judgedCall({ call, request })
  return { holder, account, call, request, ...ruleOf(acting.caller.rows({ access }, judged)) }
}

const opensAll = 'A remote access opens all contacts, so you can only delete one.'
/** Calls that concern all contacts, and why an identity with a row rule may not make them. */
const ofAllContacts: Partial<Record<StoredCall, string>> = {
  createRemoteAccess: opensAll,
  updateRemoteAccess: opensAll,
  createImport: 'An import can change contacts that it does not name, so you cannot import.',
  undoImport: 'Taking back an import changes contacts that it does not name, so you cannot do it.',
  computeDedupKeys: 'Dedup keys concern contacts that are not named, so you cannot do it.',
  restoreDelete: 'Undoing a delete returns contacts that it does not name, so you cannot do it.',
}

/** Refuses calls that no row rule can limit: what the public sees, or what an import changes. */
function openingRefusal(call: StoredCall, rows: Stages | null): Refusal | null {
  const reason = ofAllContacts[call]
  if (rows === null || reason === undefined) return null
  return { code: 'not_allowed', message: `Your identity sees only some contacts. ${reason}` }
}

/** Why something stored may no longer act, in words for users; null while it may. */
export async function actsAsRefusal(
  { pool }: Pick<Database, 'pool'>,
  { holder, account, call, request, rule, cron, cells = [] }: ActsAs,
): Promise<string | null> {
  const acting = await actingHolder(pool, account, holder)
  if ('refusal' in acting) return acting.refusal
  const { caller } = acting
  const made = judgedCall({ call, request })
  const refusal =
    rightRefusal(caller, { ...made, ...(rule !== undefined && { rule }) }) ?? (cron ? callRefusal(caller, cron) : null)
  if (refusal !== null) return refusal
  const rows = caller.rows({ access: made.access }, made.request)
  for (const cell of cells) {
    const reason = callRefusal(caller, cell) ?? (await cellRefusal(pool, { caller, account, rows }, cell))
    if (reason !== null) return reason
  }
  return null
}

/** Why a caller may not make a stored call now, in words for users; null if they may. */
export function callRefusal(caller: Caller, stored: StoredRequest): string | null {
  const { access, request } = judgedCall(stored)
  return caller.can(access, request) ? null : `The policies of ${caller.email} no longer allow it (${access}).`
}

/**
 * Why a cell of a file may no longer be read as before, by its reader's right or by that of the person who saved it.
 */
async function cellRefusal(
  pool: pg.Pool,
  reading: { caller: Caller; account: AccountId; rows: Stages | null },
  { searches, saver, rule }: StoredCell,
): Promise<string | null> {
  const requests = searches.map((search) => judgedParts(api.listOffers, search))
  const right = await readingRight(pool, { ...reading, address: null }, { holder: saver }, requests)
  if ('refusal' in right) return right.refusal
  return right.rows === null || ruleOf(right.rows).rule === rule ? null : noLongerSeen(reading.caller)
}

function judgedCall({ call, request }: StoredRequest): { access: Action; request: JudgedRequest } {
  const route: Route = api[call]
  return { access: api[call].access, request: route.isUnconditional ? 'any' : judgedParts(route, request) }
}

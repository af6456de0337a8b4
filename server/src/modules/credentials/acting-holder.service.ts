import type { AccountId } from '@portico/contract/accounts'
import { api } from '@portico/contract/api'
import type { Stages } from '@portico/contract/filter'
import type { Action, Route } from '@portico/contract/route'
import type pg from 'pg'
import { type Acting, actingIdentity, actingPerson, readHolder, requireActor } from '#access'
import { isAccountOpen } from '#accounts'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller, Refusal, RequestParts } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import { type LinkGrant, ruleOf } from '#platform/storage.ts'
import { isCredentialAlive } from './credential-access.queries.ts'
import { actingLink } from './impersonation-authentication.service.ts'

const credentialEnded = 'The API credential behind it no longer works.'

/**
 * A caller with the rights that something stored acts with at this moment, from the holder it was stored with; or why it
 * has none. All that is stored now and acts later asks here: cells, crons, saved filters, exports, links to files.
 * @param address of someone who asks for it now, for days, hours and networks; null judges none of them
 */
export async function actingHolder(
  pool: pg.Pool,
  account: AccountId,
  text: string,
  address: string | null = null,
): Promise<Acting> {
  const holder = readHolder(text)
  if (holder.kind === 'session') return actingPerson(pool, account, holder.person)
  if (holder.kind === 'impersonation') return actingLink(pool, account, holder.link)
  if (holder.kind === 'identity' || holder.credential === null) {
    return actingIdentity(pool, account, holder, address)
  }
  const isAlive = await isCredentialAlive(pool, holder.identity, holder.credential, new Date())
  if (!isAlive) return { refusal: credentialEnded, because: 'credential' }
  return actingIdentity(pool, account, holder, address)
}

/** Why the holder of a grant may no longer do what it was given for, in words for users; null while they may. */
export async function grantRefusal(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  { holder, account, access, action, request, rule }: LinkGrant,
): Promise<string | null> {
  if (request === null && !(await isAccountOpen(db, account))) return 'This account is suspended.'
  const acting = await actingHolder(pool, account, holder)
  if ('refusal' in acting) return acting.refusal
  const { caller } = acting
  const right = action ?? access
  if (caller.refusal({ access, action }, request)) {
    return `The policies of ${caller.email} no longer allow it (${right}).`
  }
  const rows = caller.rows({ access, action }, request)
  return rows === null || ruleOf(rows).rule === rule ? null : `${caller.email} may no longer see all of its contacts.`
}

/** The call of the contract that something stored was allowed by, and its parsed parts: its holder may make it, or it ends. */
export type ActsAs = { holder: string; account: AccountId; call: StoredCall; request: RequestParts } & Pick<
  LinkGrant,
  'rule'
>

/** Calls with an action, by which what is stored is judged again. */
type StoredCall =
  | 'createExport'
  | 'createImport'
  | 'createRemoteAccess'
  | 'deleteOffers'
  | 'getDashboard'
  | 'updateRemoteAccess'

/** A call by which a caller stores something, judged again later. */
type Storing = Omit<ActsAs, 'holder' | 'rule'>

/**
 * The right of a caller to store something by a call: that of their first identity which alone may make it. Returns also the
 * contacts which that one may see; null for all.
 * @param alsoRefused why an identity that may make the call may not do all that it asks for
 * @throws not_allowed
 */
export async function requireActsAs(
  caller: Caller,
  { account, call, request }: Storing,
  alsoRefused: (actor: Caller) => Refusal | null = () => null,
): Promise<{ actsAs: ActsAs; rows: Stages | null }> {
  const { access, judged } = judgedCall(call, request)
  const actor = await requireActor(
    caller,
    (each) =>
      each.refusal({ access }, judged) ?? openingRefusal(call, each.rows({ access }, judged)) ?? alsoRefused(each),
  )
  const rows = actor.rows({ access }, judged)
  return { actsAs: { holder: actor.holder, account, call, request, ...ruleOf(rows) }, rows }
}

/**
 * The right of a caller to work that they begin by a call and a worker judges again: that of their holder, which is a person with all their
 * identities, since it ends within minutes. @throws not_allowed
 */
export async function actsAsCaller(
  pool: pg.Pool,
  { holder }: Pick<Caller, 'holder'>,
  { account, call, request }: Storing,
): Promise<ActsAs> {
  const acting = await actingHolder(pool, account, holder)
  if ('refusal' in acting) throw new AppError('not_allowed', undefined, acting.refusal)
  const { access, judged } = judgedCall(call, request)
  return { holder, account, call, request, ...ruleOf(acting.caller.rows({ access }, judged)) }
}

const opensAll = 'A remote access opens all contacts, so you can only delete one.'
/** Calls that concern all contacts, and why they are not for an identity with a row rule. */
const ofAllContacts: Partial<Record<StoredCall, string>> = {
  createRemoteAccess: opensAll,
  updateRemoteAccess: opensAll,
  createImport: 'An import can change contacts that it does not name, so you cannot import.',
}

/** No rule limits what the public sees, or what an import changes. */
function openingRefusal(call: StoredCall, rows: Stages | null): Refusal | null {
  const reason = ofAllContacts[call]
  if (rows === null || reason === undefined) return null
  return { code: 'not_allowed', message: `Your identity sees only some contacts. ${reason}` }
}

/** Why something stored may not act any more, in words for users; null while it may. */
export function actsAsRefusal(
  database: Pick<Database, 'db' | 'pool'>,
  { holder, account, call, request, rule }: ActsAs,
): Promise<string | null> {
  const { access, judged } = judgedCall(call, request)
  return grantRefusal(database, { holder, account, access, request: judged, ...(rule !== undefined && { rule }) })
}

function judgedCall(call: StoredCall, request: RequestParts): { access: Action; judged: RequestParts } {
  const route: Route = api[call]
  return { access: api[call].access, judged: judgedParts(route, request) }
}

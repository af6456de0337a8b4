import { type Impersonation, impersonationFlags, nameOfEntry } from '@portico/contract/impersonation'
import type { AccountId } from '@portico/contract/accounts'
import type { Preferences } from '@portico/contract/preferences'
import type { User } from '@portico/contract/sign-in'
import { messages } from '@portico/contract/messages'
import { findByName, foldName } from '@portico/domain/names'
import { recordAudit } from '#audit'
import { lockPerson, selectPersonById } from '#persons'
import type { Actor } from '#platform/actor.ts'
import { requireRoom } from '#platform/account-limits.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { selectImpersonation } from './impersonation-access.queries.ts'
import {
  countImpersonations,
  type ImpersonationRow,
  insertImpersonation,
  selectImpersonations,
  selectLinksOfPerson,
  updateImpersonationRevoked,
  updatePersonImpersonationsRevoked,
  updateSessionImpersonationsRevoked,
} from './impersonations.queries.ts'
import type { Tokens } from './tokens.ts'
import { isUuid } from '#platform/ids.ts'

export type ImpersonationDraft = {
  /** The only address that may use the link. */
  address: string
  seconds: number
  /** Names of policies and features; null means all that the creator holds when the link is used. */
  policies: readonly string[] | null
}

/** The creator of a link. `now`: finds them again, with the rights they have now. `tell`: notifies them by email. */
type LinkCreator = Caller & {
  account: AccountId
  now: () => Promise<Caller>
  tell: (tx: Db, personId: string) => Promise<void>
}

/**
 * Creates an impersonation link with rights of the caller in their account, and returns its token. Throws `not_allowed`
 * unless the caller holds at least one chosen policy.
 */
export async function startImpersonation(
  db: Db,
  tokens: Tokens,
  caller: LinkCreator,
  { address, seconds, policies }: ImpersonationDraft,
  by: Actor,
): Promise<string> {
  const { account, email, personId, sessionId } = caller
  const { policies: held, parent } = caller.user()
  const chosen = chosenOf(held, policies)
  const policyIds = chosen && idsOfNamed(caller.policies, chosen)
  const [id, at] = [crypto.randomUUID(), new Date()]
  const expiresAt = new Date(at.getTime() + seconds * 1000)
  await inTransaction(db, async (tx) => {
    // Revoking a person's links takes the same lock (`revokeLinksOf`): this one is created before that, or not at all.
    await lockPerson(tx, personId)
    await caller.now()
    requireRoom('impersonations', await countImpersonations(tx, account, at))
    await insertImpersonation(tx, account, {
      id,
      personId,
      sessionId,
      address,
      policies: chosen,
      policyIds,
      at,
      expiresAt,
    })
    const details = { address, policies: chosen, expiresAt: expiresAt.toISOString() }
    await recordAudit(tx, { ...by, account, action: 'impersonation created', subject: email, details })
    await caller.tell(tx, personId)
  })
  return tokens.sign({ imp: id, aid: account, paid: parent, pa: false, pu: false, email }, expiresAt)
}

/** Revokes a link of the account. Throws `not_found` when there is no active one. */
export async function revokeImpersonation(db: Db, account: AccountId, id: string, by: Actor): Promise<void> {
  await inTransaction(db, async (tx) => {
    const personId = isUuid(id) ? await updateImpersonationRevoked(tx, account, id, new Date()) : null
    const creator = personId === null ? null : await selectPersonById(tx, personId)
    if (!creator) throw new AppError('not_found')
    const details = { id }
    await recordAudit(tx, { ...by, account, action: 'impersonation revoked', subject: creator.email, details })
  })
}

/** Returns a token of the link for its own account. Throws `not_found` for any other account. */
export async function enterByLink(
  pool: Database['pool'],
  tokens: Tokens,
  caller: Caller,
  account: AccountId,
): Promise<{ token: string; user: User; preferences: Preferences }> {
  const link = caller.account === account ? await selectImpersonation(pool, caller.sessionId) : null
  if (!link) throw new AppError('not_found')
  const user = caller.user()
  const claims = { imp: caller.sessionId, aid: account, paid: user.parent, pa: false, pu: false, email: user.email }
  return { token: await tokens.sign(claims, link.expires_at), user, preferences: user.preferences }
}

/** Revokes the caller's own link. */
export async function endOwnLink(db: Db, account: AccountId, id: string): Promise<void> {
  await updateImpersonationRevoked(db, account, id, new Date())
}

/**
 * Revokes the active links that a person created in the account, or (null) in any account, and returns their number. Call
 * it in a transaction: it locks the person, so a link being created at the same time is included.
 */
export async function revokeLinksOf(db: Db, account: AccountId | null, personId: string): Promise<number> {
  await lockPerson(db, personId)
  return updatePersonImpersonationsRevoked(db, account, personId, new Date())
}

/** As `revokeLinksOf`, for the links that the person created in these sessions. */
export async function revokeLinksOfSessions(db: Db, personId: string, sessions: readonly string[]): Promise<number> {
  await lockPerson(db, personId)
  return updateSessionImpersonationsRevoked(db, personId, sessions, new Date())
}

/** The policies that the names select now. Another policy that gets one of these names later is not included. */
function idsOfNamed(held: Caller['policies'], names: readonly string[]): string[] {
  const find = findByName(held, ({ name }) => name)
  return names.flatMap((name) => find(name)?.id ?? [])
}

/** Keeps the chosen names that the creator holds, and the flags that other products read. */
function chosenOf(held: readonly string[], chosen: readonly string[] | null): string[] | null {
  const known = new Set(held.map(foldName))
  const isHeld = (name: string): boolean => known.has(foldName(name))
  const isAny = chosen === null ? held.length > 0 : chosen.some(isHeld)
  if (!isAny)
    throw new AppError('not_allowed', undefined, 'You hold none of these policies, so the link would grant nothing.')
  const flags = new Set<string>(impersonationFlags)
  return chosen && chosen.filter((name) => isHeld(name) || flags.has(name))
}

/** The active links of the account, newest first. */
export async function listImpersonations(db: Db, account: AccountId): Promise<Impersonation[]> {
  const rows = await selectImpersonations(db, account, new Date())
  return rows.map(toImpersonation)
}

/** The active links of a person in all accounts, newest first. */
export async function listLinksOf(db: Db, personId: string): Promise<(Impersonation & { account: AccountId })[]> {
  const rows = await selectLinksOfPerson(db, personId, new Date())
  return rows.map((row) => ({ ...toImpersonation(row), account: row.account }))
}

const toImpersonation = (row: ImpersonationRow): Impersonation => ({
  _id: row.id,
  creator: row.email,
  ip: row.address,
  policies: row.policies,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
})

const mostEntries = 1000

/**
 * Parses a comma-separated list of names. Older clients do not escape commas within a name, so an entry that is not a
 * name the caller holds is joined with the entries after it until it is one.
 * @throws invalid_input for a name that the caller does not hold
 */
export function chosenPolicies(list: string, held: readonly string[]): string[] {
  const names = new Set([...held, ...impersonationFlags].map(foldName))
  const isName = (text: string): boolean => names.has(foldName(text))
  const entries = list.split(',')
  if (entries.length > mostEntries) throw invalidField('policies', `Choose at most ${mostEntries} policies.`)
  // Names can contain commas: the numbers of entries that one may span, largest first.
  const lengths = [...new Set(held.map((name) => name.split(',').length))].toSorted((one, other) => other - one)
  const chosen: string[] = []
  for (let at = 0; at < entries.length;) {
    const entry = entries[at] ?? ''
    const one = [nameOfEntry(entry), entry].find(isName)
    const length = one === undefined ? lengths.find((each) => isName(entries.slice(at, at + each).join(','))) : 1
    if (length === undefined) throw invalidField('policies', `${messages.notAllowed} You do not hold "${entry}".`)
    chosen.push((one ?? entries.slice(at, at + length).join(',')).trim())
    at += length
  }
  return [...new Set(chosen)]
}

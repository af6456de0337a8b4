import type { AccountEntry } from '@portico/contract/accounts'
import { mostHandedOver, type OwnedItem } from '@portico/contract/people'
import {
  type Accounts,
  accountsWithin,
  actingPerson,
  type Administrator,
  type FoundPerson,
  isEverywhere,
  type ListedOwner,
  mayGive,
  type OwnedPart,
  type OwnedRow,
  type OwnedWork,
  type Owner,
  personWithin,
  readHolder,
  requireNotAbove,
  selectIdentitiesOfPerson,
  selectPersonWithin,
  withAccessLockAs,
} from '#access'
import { selectPerson } from '#persons'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Database, type Db, inTransaction, isLockTimeout, setLocally } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import { freeing } from '#platform/waits/reading-limits.ts'

export type HandOverDeps = { database: Pick<Database, 'db' | 'pool'>; works: readonly OwnedWork[] }

/** Something that the giver owns, judged for the receiver: `holder` if it moves. */
type JudgedItem = OwnedRow & { work: OwnedWork; entry: AccountEntry } & (
    | { holder: string; refusal: null }
    | { holder: null; refusal: string }
  )

type Judged = { from: Owner; to: Owner; items: JudgedItem[] }

/**
 * The work that a person owns in accounts within reach, with the reason why the receiver could not take it on.
 * @throws not_found, not_allowed, exceeds_rights; invalid_input for a receiver without an identity within reach
 */
export async function previewHandOver(
  deps: HandOverDeps,
  admin: Administrator,
  id: string,
  { email, skip }: { email: string; skip: number },
): Promise<OwnedItem[]> {
  const part = { skip, most: mostHandedOver }
  return (await judge(deps, admin, { id, email, part })).items.map(onWire)
}

/**
 * Hands over chosen items in one transaction over all accounts. They act by the rights of the receiver from then on.
 * Items that the receiver could not save, that were saved since they were judged, or that others are changing, stay.
 *
 * The items are judged before the transaction, since each would take another connection. A right that the receiver
 * loses meanwhile is missed no more than one lost afterwards: stored work is judged again whenever it acts (ADR 0105).
 *
 * Work is moved first, and those concerned are judged again under the access lock, which is taken last (`lock-keys.ts`):
 * rows of an account may be held for seconds, and people of all accounts would wait.
 * @throws as `previewHandOver`; not_allowed for work of an account that is no longer within reach; then nothing has moved
 */
export async function handOver(
  deps: HandOverDeps,
  asking: Administrator,
  id: string,
  { email, items: ids }: { email: string; items: readonly string[] },
): Promise<{ moved: OwnedItem[]; stayed: OwnedItem[] }> {
  const judged = await judge(deps, asking, { id, email, part: { ids } })
  return inTransaction(deps.database.db, async (tx) => {
    const { moved, stayed } = await moveAll(tx, judged, { ...asking.by, personId: asking.personId })
    return withAccessLockAs(tx, asking, async (locked, admin) => {
      const { reach } = await requireGiver(locked, admin, id)
      await requireReceiver(locked, admin, id, email)
      const accounts = await accountsWithin(locked, reach)
      if (!moved.every(({ account }) => accounts.has(account))) throw new AppError('not_allowed', undefined, noLonger)
      return { moved: moved.map(onWire), stayed: stayed.map(onWire) }
    })
  })
}

const noLonger = 'An account of this work is no longer yours. Nothing was handed over.'

// Shorter than PostgreSQL's deadlock timeout of one second: handing over gives way to what holds the row.
const rowWaitMs = 500
const allRowsWaitMs = 3000

/** Moves what the receiver may take on. Waits three seconds for rows that others hold, of all items together. */
async function moveAll(
  tx: Db,
  { from, to, items }: Judged,
  by: Actor & { personId: string },
): Promise<{ moved: JudgedItem[]; stayed: JudgedItem[] }> {
  const end = performance.now() + allRowsWaitMs
  const moved: JudgedItem[] = []
  const stayed: JudgedItem[] = []
  for (const item of items) {
    const { work, holder } = item
    if (holder === null) {
      stayed.push(item)
      continue
    }
    // Zero would mean no limit.
    const waitMs = Math.max(1, Math.min(rowWaitMs, Math.ceil(end - performance.now())))
    await setLocally(tx, 'lock_timeout', `${waitMs}ms`)
    const refusal = await movedOrNot(tx, () => work.move(tx, { row: item, holder, from, to, by }))
    if (refusal === null) moved.push(item)
    else stayed.push({ ...item, holder: null, refusal })
  }
  return { moved, stayed }
}

/** Why the item stays; null if it has moved. */
async function movedOrNot(tx: Db, move: () => Promise<boolean>): Promise<string | null> {
  try {
    const hasMoved = await inSavepoint(tx, () => freeing(move))
    return hasMoved ? null : 'It was changed in the meantime.'
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    return 'Others are changing it right now. Try again in a moment.'
  }
}

const onWire = ({ work, id, name, entry, refusal }: JudgedItem): OwnedItem => ({
  kind: work.kind,
  _id: id,
  name,
  account: entry,
  refusal,
})

async function judge(
  { database: { db, pool }, works }: HandOverDeps,
  admin: Administrator,
  { id, email, part }: { id: string; email: string; part: OwnedPart },
): Promise<Judged> {
  const giver = await requireGiver(db, admin, id)
  const { reach, person: from } = giver
  const to = await requireReceiver(db, admin, id, email)
  const accounts = await accountsWithin(db, reach)
  const identities = await selectIdentitiesOfPerson(db, reach, to.id)
  const owned = await ownedItems(db, works, accounts, { owner: listedOwner(giver), part })
  const receiver = { actor: admin.by, address: '' }
  const offer = { owner: from, closed: reach.closed }
  const callers = new Map<number, Caller | string>()
  const items: JudgedItem[] = []
  for (const item of owned) {
    const { account } = item
    const caller = callers.get(account) ?? (await receiverIn(pool, account, to, isEverywhere(reach)))
    callers.set(account, caller)
    const reception =
      typeof caller === 'string'
        ? { refusal: caller }
        : await freeing(() => item.work.receive(db, { ...offer, receiver: { ...receiver, account, caller } }, item.id))
    if ('refusal' in reception) {
      items.push({ ...item, holder: null, refusal: reception.refusal })
      continue
    }
    const holder = readHolder(reception.holder)
    const identity = 'identity' in holder ? identities.find((each) => each.id === holder.identity) : undefined
    // Work that others see would show an administrator what they may not see themselves.
    if (identity && mayGive(admin, identity)) items.push({ ...item, holder: reception.holder, refusal: null })
    else items.push({ ...item, holder: null, refusal: `${to.email} has rights here that you do not hold yourself.` })
  }
  return { from, to, items }
}

/** The person whose work is handed over; an administrator may hand over their own. */
async function requireGiver(db: Db, admin: Administrator, id: string): Promise<FoundPerson> {
  const found = await personWithin(id)(db, admin)
  if (found.person.id !== admin.personId) for (const identity of found.identities) requireNotAbove(admin, identity)
  return found
}

/**
 * For power users, work that acts by an accepted identity within their reach: other work of the person, such as that of
 * their global identity, is none of their business.
 */
const listedOwner = ({ reach, person, identities }: FoundPerson): ListedOwner => ({
  ...person,
  identities: isEverywhere(reach) ? null : identities.filter(({ isAccepted }) => isAccepted).map(({ id }) => id),
})

/** Says of people elsewhere what it says of unknown ones. */
async function requireReceiver(db: Db, admin: Administrator, giver: string, email: string): Promise<Owner> {
  const { reach } = await personWithin(giver)(db, admin)
  const person = await selectPerson(db, email)
  const found = person && (await selectPersonWithin(db, reach, person.id))
  if (!found) throw invalidField('email', `${email} has no identity in these accounts.`)
  if (found.id === giver) throw invalidField('email', 'Choose another person.')
  return found
}

type OwnedItems = (OwnedRow & { work: OwnedWork; entry: AccountEntry })[]

async function ownedItems(
  db: Db,
  works: readonly OwnedWork[],
  accounts: Accounts,
  { owner, part }: { owner: ListedOwner; part: OwnedPart },
): Promise<OwnedItems> {
  const items: OwnedItems = []
  for (const work of works) {
    for (const row of await work.list(db, [...accounts.keys()], owner, part)) {
      const entry = accounts.get(row.account)
      if (entry) items.push({ ...row, work, entry })
    }
  }
  return items
}

/** The receiver as a caller in an account, or why there is none. */
async function receiverIn(
  pool: Database['pool'],
  account: number,
  { id, email }: Owner,
  withGlobal: boolean,
): Promise<Caller | string> {
  const acting = await actingPerson(pool, account, id, { withGlobal })
  if ('caller' in acting) return acting.caller
  return acting.because === undefined ? `${email} has no access to this account.` : acting.refusal
}

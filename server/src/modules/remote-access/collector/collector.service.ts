import type { AccountId } from '@portico/contract/accounts'
import { CollectedEvents, collectorLimits } from '@portico/contract/public-access'
import { hasInvisibleCharacters } from '@portico/domain/event-fields'
import { type NewEvent, selectKnownEventFields, upsertOfferedEventFields } from '#contacts'
import { BoundedMap } from '#platform/memory/bounded-map.ts'
import { createLockedAccounts, withShortWaits } from '#platform/strangers/locked-accounts.ts'
import { createShares } from '#platform/waits/shares.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { readInput } from '#platform/input-problems.ts'
import { truncatedAddress } from '../caller-origin.ts'
import { limitEvents } from '../door/call-limits.ts'
import { type Call, CallLimited, type Door, type ServedContact } from '../door/door.service.ts'
import { type Collected, readCollected } from './collected-events.ts'
import type { EventWriter } from './event-writer.ts'
import { visitorAgent } from './visitor-agent.ts'

/** Services for recording events, shared within this process. */
export type Collector = { db: Db; door: Door; writer: EventWriter; fieldNames: CollectedNames }

/**
 * Records the events of a request for the contact it names. Returns once they are committed.
 * @param body the text of the request
 * @throws invalid_input naming the event's field; CallLimited; unavailable
 */
export async function collectEvents(
  { door, writer, fieldNames }: Collector,
  { account, sender }: Call,
  { access, id }: Pick<ServedContact, 'access' | 'id'>,
  { body, userAgent }: { body: unknown; userAgent: string },
): Promise<{ recorded: number; dropped: number }> {
  const visitor = { ...visitorAgent(userAgent), account, contactId: id, ip: truncatedAddress(sender.address) }
  const collected = readCollected(parseBody(body), visitor, Date.now())
  if (Array.isArray(collected)) throw invalidInput(collected)
  const { events } = collected
  const wait = limitEvents(door.counts, `${account} ${access.id}`, events.length, door.limits)
  if (wait !== null) {
    door.usage.count(account, access.id, { limited: 1 })
    throw new CallLimited(wait)
  }
  const dropped = collected.dropped + (await fieldNames.dropUnknown(account, collected))
  await writer.write(account, events)
  door.usage.count(account, access.id, { events: events.length, dropped })
  return { recorded: events.length, dropped }
}

function parseBody(body: unknown): CollectedEvents {
  let json: unknown
  try {
    json = typeof body === 'string' ? JSON.parse(body) : undefined
  } catch {
    throw invalidInput([{ field: 'body', message: 'The body must be JSON.' }])
  }
  const { data, problems } = readInput(CollectedEvents, json)
  if (problems && problems.length > 0) throw invalidInput(problems)
  return data as CollectedEvents
}

function invalidInput(problems: { field: string; message: string }[]): AppError {
  const [first] = problems
  return new AppError('invalid_input', problems, first && `${first.field}: ${first.message}`)
}

/** Names of custom fields that pages of other sites may use in an account. */
export type CollectedNames = {
  /**
   * Removes fields that no user has added to the account, and offers their names to users. Returns the number of fields
   * removed.
   */
  dropUnknown: (account: AccountId, collected: Collected) => Promise<number>
}

const mostAccounts = 500
// A flood of invented names must not query the database each time.
const mostRefused = 1000
// After this time, a name that a user has added or removed takes effect.
const rememberedMs = 10_000

type KnownNames = { since: number; allowed: Set<string>; refused: Set<string> }

export function createCollectedNames(db: Db): CollectedNames {
  const accounts = new BoundedMap<AccountId, KnownNames>(mostAccounts)

  function namesOf(account: AccountId, now: number): KnownNames {
    const found = accounts.get(account)
    const isCurrent = found !== undefined && now - found.since < rememberedMs
    const known: KnownNames = isCurrent ? found : { since: now, allowed: new Set(), refused: new Set() }
    accounts.set(account, known)
    return known
  }

  const turns = createShares({ most: 1, waitMs: 1000 })
  const locked = createLockedAccounts({ tries: 1 })

  return {
    async dropUnknown(account, { events }) {
      const used = [...new Set(events.flatMap(({ details }) => Object.keys(details ?? {})))]
      let known = namesOf(account, Date.now())
      if (unknownOf(known, used).length > 0) {
        // One call of an account at a time, which uses one connection.
        const free = await turns.take(String(account), undefined)
        try {
          known = namesOf(account, Date.now())
          // Others may have found them meanwhile.
          const unknown = unknownOf(known, used)
          const find = () => withShortWaits(db, (tx) => findNames(tx, account, known, unknown))
          if (unknown.length > 0) await locked.run(account, find)
        } finally {
          free()
        }
      }
      return dropOthers(events, known.allowed)
    },
  }
}

const unknownOf = ({ allowed, refused }: KnownNames, names: readonly string[]): string[] =>
  names.filter((name) => !allowed.has(name) && !refused.has(name))

/** Adds the names to those known, and offers the ones that the account does not have to its users. */
async function findNames(
  db: Db,
  account: AccountId,
  { allowed, refused }: KnownNames,
  names: readonly string[],
): Promise<void> {
  for (const name of await selectKnownEventFields(db, account, names)) allowed.add(name)
  const missing = names.filter((name) => !allowed.has(name))
  if (refused.size > mostRefused) refused.clear()
  for (const name of missing) refused.add(name)
  // The others cannot be added, as they look like another name.
  const offered = missing.filter((name) => !hasInvisibleCharacters(name))
  const limit = { at: new Date(), most: collectorLimits.offeredFieldNames }
  if (offered.length > 0) await upsertOfferedEventFields(db, account, offered, limit)
}

function dropOthers(events: readonly NewEvent[], allowed: ReadonlySet<string>): number {
  let dropped = 0
  for (const { details } of events) {
    for (const name of Object.keys(details ?? {})) {
      if (!details || allowed.has(name)) continue
      delete details[name]
      dropped++
    }
  }
  return dropped
}

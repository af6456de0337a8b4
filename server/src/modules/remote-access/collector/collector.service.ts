import type { AccountId } from '@portico/contract/accounts'
import { CollectedEvents, collectorLimits } from '@portico/contract/public-access'
import { insertCollectedFields, type NewEvent } from '#contacts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { readInput } from '#platform/input-problems.ts'
import { truncatedAddress } from '../caller-origin.ts'
import { limitEvents } from '../door/call-limits.ts'
import { type Call, CallLimited, type Door, type ServedContact } from '../door/door.service.ts'
import { type Collected, readCollected } from './collected-events.ts'
import type { EventWriter } from './event-writer.ts'
import { visitorAgent } from './visitor-agent.ts'

/** Services that recording events shares in this process. */
export type Collector = { db: Db; door: Door; writer: EventWriter; fieldNames: CollectedNames }

/**
 * Records the events of a request for the contact it is about. Returns once they are committed.
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
  /** Removes fields whose names the account can take no more of. Returns their number. */
  dropUnknown: (account: AccountId, collected: Collected) => Promise<number>
}

const mostAccounts = 500
// A flood of invented names must not ask the database each time.
const mostRefused = 1000

export function createCollectedNames(db: Db): CollectedNames {
  const accounts = new Map<AccountId, { allowed: Set<string>; refused: Set<string> }>()
  return {
    async dropUnknown(account, { events }) {
      const known = accounts.get(account) ?? { allowed: new Set(), refused: new Set() }
      accounts.delete(account)
      for (const oldest of accounts.keys()) {
        if (accounts.size < mostAccounts) break
        accounts.delete(oldest)
      }
      accounts.set(account, known)
      const used = new Set(events.flatMap(({ details }) => Object.keys(details ?? {})))
      const unknown = [...used].filter((name) => !known.allowed.has(name) && !known.refused.has(name))
      if (unknown.length > 0) {
        const { fieldNamesOfAccount } = collectorLimits
        for (const name of await insertCollectedFields(db, account, unknown, fieldNamesOfAccount)) {
          known.allowed.add(name)
        }
        if (known.refused.size > mostRefused) known.refused.clear()
        for (const name of unknown) if (!known.allowed.has(name)) known.refused.add(name)
      }
      return dropNames(events, known.refused)
    },
  }
}

function dropNames(events: readonly NewEvent[], names: ReadonlySet<string>): number {
  let dropped = 0
  for (const { details } of events) {
    for (const name of Object.keys(details ?? {})) {
      if (!details || !names.has(name)) continue
      delete details[name]
      dropped++
    }
  }
  return dropped
}

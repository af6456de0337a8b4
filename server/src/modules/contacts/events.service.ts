import { randomUUID } from 'node:crypto'
import type { OfferEvent } from '@portico/contract/contacts'
import type { NewEvent as EventDraft } from '@portico/contract/events'
import { eventFields } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/identity'
import type { z } from 'zod'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { insertEvents, type NewEvent, selectEvents } from './events.queries.ts'

// Large enough that a statement's own cost no longer counts, small enough that nobody waits for the process meanwhile.
const eventsPerStatement = 1000

/**
 * Records any number of events of an account's contacts, as they come from a file or a collector: a statement for each
 * thousand of them, committed one by one unless `db` is a transaction. May be repeated after a failure, since an event
 * is known by its id. Events of contacts that do not exist are left out. Answers how many events were new.
 */
export async function recordEvents(
  db: Db,
  account: AccountId,
  events: Iterable<NewEvent> | AsyncIterable<NewEvent>,
): Promise<number> {
  let recorded = 0
  let batch: NewEvent[] = []
  for await (const event of events) {
    batch.push(event)
    if (batch.length < eventsPerStatement) continue
    recorded += await insertEvents(db, account, batch)
    batch = []
  }
  if (batch.length > 0) recorded += await insertEvents(db, account, batch)
  return recorded
}

/**
 * Records what an application saw a contact do, all of it or nothing; answers how many events that were. At most as many
 * as the contract lets into one request.
 * @throws not_found when the account has no such contact
 */
export async function recordContactEvents(
  db: Db,
  account: AccountId,
  contactId: string,
  drafts: readonly EventDraft[],
): Promise<number> {
  // Longer numbers are nobody's id, and too large for one.
  if (!/^\d{1,18}$/.test(contactId)) throw new AppError('not_found')
  const recorded = await insertEvents(
    db,
    account,
    drafts.map((draft) => toNewEvent(contactId, draft)),
  )
  // Their ids are new, so what is left out is left out for want of the contact.
  if (recorded < drafts.length) throw new AppError('not_found')
  return recorded
}

/** The events of a contact as clients get them, newest first. */
export async function listEvents(
  db: Db,
  account: AccountId,
  contactId: string,
): Promise<z.output<typeof OfferEvent>[]> {
  const events = await selectEvents(db, account, contactId)
  return events.map(({ event_date: date, pdid, details, ...event }) => ({
    ...event,
    event_date: date.toISOString(),
    ...(pdid !== null && { pdid }),
    ...(details !== null && { details }),
  }))
}

function toNewEvent(contactId: string, draft: EventDraft): NewEvent {
  return {
    id: randomUUID(),
    contactId,
    code: draft.event_code,
    date: new Date(draft.event_date),
    appCode: draft.app_code ?? null,
    path: draft.event_path ?? null,
    element: draft.event_element ?? null,
    browser: draft.browser ?? null,
    os: draft.os ?? null,
    ip: draft.ip ?? null,
    pdid: draft.pdid ?? null,
    isTrigger: draft.is_trigger ?? false,
    details: detailsOf(draft),
  }
}

function detailsOf({ details, ...fields }: EventDraft): Record<string, string | number | boolean> | null {
  const own = Object.entries(fields).filter(([name]) => !Object.hasOwn(eventFields, name))
  const entries = [...own, ...Object.entries(details ?? {})].flatMap(([name, value]) => {
    // The contract's catch-all has let nothing else through; its type takes in the fields that have names.
    if (value === null || value === undefined || typeof value === 'object') return []
    // PostgreSQL refuses JSON with half a character in it.
    return [[name.toWellFormed(), typeof value === 'string' ? value.toWellFormed() : value] as const]
  })
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

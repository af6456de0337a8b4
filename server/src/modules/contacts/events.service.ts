import { randomUUID } from 'node:crypto'
import type { OfferEvent } from '@portico/contract/contacts'
import type { NewEvent as EventDraft } from '@portico/contract/events'
import { eventFields } from '@portico/contract/filter'
import { eventFieldName } from '@portico/domain/event-fields'
import type { AccountId } from '@portico/contract/accounts'
import type { z } from 'zod'
import { noteEvents } from '#accounts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { addEventFields, addingEventFields, type RefuseField } from './event-fields.service.ts'
import { type EventRow, insertEvents, type NewEvent, selectEvents } from './events.queries.ts'
import { isRowNumber } from '#platform/ids.ts'

// Large enough to make the overhead of a statement negligible, small enough not to block the process.
const eventsPerStatement = 1000

/**
 * Records any number of events, from a file or a collector: one statement per thousand, each committed unless `db` is a
 * transaction. Safe to repeat after a failure, since events are identified by id. Skips events of contacts that do not
 * exist. Returns the number of new events.
 * @throws invalid_input for the name of a detail over the account's limit of fields
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
    recorded += await insertWithFields(db, account, batch, ofDetails)
    batch = []
  }
  if (batch.length > 0) recorded += await insertWithFields(db, account, batch, ofDetails)
  return recorded
}

const ofDetails: RefuseField = (name, problem) => invalidField(`details.${name}`, problem)

/**
 * Records one or more events of a contact, all or none, at most as many as the contract allows in a request. Returns
 * their number.
 * @throws not_found when the account has no such contact; invalid_input for a field over the account's limit
 */
export async function recordContactEvents(
  db: Db,
  account: AccountId,
  contactId: string,
  sent: EventDraft | readonly EventDraft[],
): Promise<number> {
  // Longer numbers do not fit into an id.
  if (!isRowNumber(contactId)) throw new AppError('not_found')
  const drafts = isList(sent) ? sent : [sent]
  const recorded = await insertWithFields(
    db,
    account,
    drafts.map((draft) => toNewEvent(contactId, draft)),
    (name, problem) => invalidField(placeOf(sent, name), problem),
  )
  // Their ids are new, so events are skipped only if the contact does not exist.
  if (recorded < drafts.length) throw new AppError('not_found')
  await noteEvents(db, account)
  return recorded
}

const isList = (sent: EventDraft | readonly EventDraft[]): sent is readonly EventDraft[] => Array.isArray(sent)

/** The first place of a custom field in a request, as it is written there: `price`, `details.price`, `3.price`. */
function placeOf(sent: EventDraft | readonly EventDraft[], name: string): string {
  const writtenIn = (fields: object) => Object.keys(fields).find((written) => eventFieldName(written) === name)
  if (!isList(sent)) return writtenIn(sent) ?? `details.${writtenIn(sent.details ?? {}) ?? name}`
  const at = sent.findIndex((draft) => Object.hasOwn(detailsOf(draft) ?? {}, name))
  const draft = sent[at]
  return draft ? `${at}.${placeOf(draft, name)}` : name
}

/**
 * Inserts events and the names of their details, both or neither. Returns the number of new events. Skips events that
 * exist already, and those of contacts that do not exist.
 */
async function insertWithFields(
  db: Db,
  account: AccountId,
  events: readonly NewEvent[],
  refuse: RefuseField,
): Promise<number> {
  if (!events.some(({ details }) => details)) return (await insertEvents(db, account, events)).length
  // Two statements, because Citus would send the rows of the first to every server (ADR 0073).
  return addingEventFields(db, account, namesIn(events), async (tx) => {
    const recorded = new Set(await insertEvents(tx, account, events))
    const names = namesIn(events.filter(({ id }) => recorded.has(id.toLowerCase())))
    await addEventFields(tx, account, names, refuse)
    return recorded.size
  })
}

const namesIn = (events: readonly NewEvent[]): string[] => [
  ...new Set(events.flatMap(({ details }) => Object.keys(details ?? {}))),
]

// Far more than anyone reads, yet small enough to send quickly.
const mostEventBytes = 5_000_000
/** Most events in the reply about a contact. */
export const mostEvents = 10_000
// Limits the events read at once: their sizes are all computed, although few may fit.
const fewestAtOnce = 50
const mostAtOnce = 1000

/** Events of a contact in wire format, newest first: as many as fit into a reply. */
export async function listEvents(
  reader: Db,
  account: AccountId,
  contactId: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<z.output<typeof OfferEvent>[]> {
  const found: EventRow[] = []
  let bytes = mostEventBytes
  for (let atOnce = fewestAtOnce; found.length < limit; atOnce = Math.min(atOnce * 4, mostAtOnce)) {
    const wanted = Math.min(atOnce, limit - found.length)
    const page = { skip: skip + found.length, limit: wanted, bytes }
    const rows = await selectEvents(reader, account, contactId, page)
    bytes -= rows.at(-1)?.bytesSoFar ?? 0
    // The first event of a page is returned regardless of its size.
    const fitting = bytes < 0 && found.length > 0 ? [] : rows.map(({ event }) => event)
    found.push(...fitting)
    if (fitting.length < wanted || bytes < 0) break
  }
  return found.map(toOfferEvent)
}

function toOfferEvent({ event_date: date, pdid, details, ...event }: EventRow): z.output<typeof OfferEvent> {
  return {
    ...event,
    event_date: date.toISOString(),
    ...(pdid !== null && { pdid }),
    ...(details !== null && { details }),
  }
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
    // The contract's catch-all allows only such values, but its type includes the named fields.
    if (value === null || value === undefined || typeof value === 'object') return []
    return [[eventFieldName(name), value] as const]
  })
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

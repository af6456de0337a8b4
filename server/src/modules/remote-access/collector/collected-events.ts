import type { AccountId } from '@portico/contract/accounts'
import type { FieldProblem } from '@portico/contract/errors'
import { eventFields } from '@portico/contract/filter'
import { eventFieldName } from '@portico/domain/event-fields'
import { type CollectedEvent, type CollectedEvents, collectorLimits } from '@portico/contract/public-access'
import { v5 as uuidv5 } from 'uuid'
import type { NewEvent } from '#contacts'
import type { VisitorAgent } from './visitor-agent.ts'

/** The visitor of a request: the contact, and facts from the headers. */
export type Visitor = VisitorAgent & { account: AccountId; contactId: string; ip: string | null }

/** Events to record, and the number of custom fields left out. */
export type Collected = { events: NewEvent[]; dropped: number }

const dayMs = 86_400_000
// Clocks are never exactly equal. An event at most this far in the future counts as happening now.
const futureToleranceMs = 60_000

const listOf = (body: CollectedEvents): { events: CollectedEvent[]; isList: boolean; sentAt: string | undefined } =>
  'events' in body && Array.isArray(body.events)
    ? { events: body.events as CollectedEvent[], isList: true, sentAt: body.sentAt as string | undefined }
    : { events: [body as CollectedEvent], isList: false, sentAt: undefined }

/**
 * Converts the events of a request to events of the contact. The difference between `sentAt` and our clock is first
 * added to their times.
 * @param now in ms
 * @returns the problems by field if a time is in the future or too long ago
 */
export function readCollected(body: CollectedEvents, visitor: Visitor, now: number): Collected | FieldProblem[] {
  const { events, isList, sentAt } = listOf(body)
  const clockDifference = sentAt === undefined ? 0 : now - Date.parse(sentAt)
  const problems: FieldProblem[] = []
  const collected: Collected = { events: [], dropped: 0 }
  for (const [at, event] of events.entries()) {
    const moment = event.event_date === undefined ? now : Date.parse(event.event_date) + clockDifference
    const message = timeProblem(moment, now)
    if (message) problems.push({ field: isList ? `events.${at}.event_date` : 'event_date', message })
    const { details, dropped } = customFields(event)
    collected.dropped += dropped
    collected.events.push(toNewEvent(event, visitor, new Date(Math.min(moment, now)), details))
  }
  return problems.length > 0 ? problems : collected
}

function timeProblem(moment: number, now: number): string | null {
  if (moment > now + futureToleranceMs) return 'Value is invalid! The event is in the future.'
  if (moment >= now - collectorLimits.oldestDays * dayMs) return null
  return `Value is invalid! The event is more than ${collectorLimits.oldestDays} days old.`
}

type Details = Record<string, string | number | boolean>

/** Custom fields within the limits of one event, by their names as they are kept, and the number of the others. */
function customFields(event: CollectedEvent): { details: Details; dropped: number } {
  const { customFields: most, fieldNameLength, fieldValueLength } = collectorLimits
  const own = Object.entries(event).flatMap(([name, value]) =>
    name === 'id' || Object.hasOwn(eventFields, name) || value === null || value === undefined
      ? []
      : [[eventFieldName(name.toWellFormed()), typeof value === 'string' ? value.toWellFormed() : value] as const],
  )
  const short = own.filter(
    ([name, value]) => name.length <= fieldNameLength && String(value).length <= fieldValueLength,
  )
  // Of a name that is written in two forms, the last value counts.
  const kept = [...new Map<string, string | number | boolean>(short)].slice(0, most)
  return { details: Object.fromEntries(kept), dropped: own.length - kept.length }
}

// A random UUID. Ids of events are derived from it, so it must never change.
const namespace = 'b9a1f0de-6f5c-4c3e-9d0a-2f1f6f0c7b52'

function toNewEvent(event: CollectedEvent, visitor: Visitor, date: Date, details: Details): NewEvent {
  const { account, contactId, browser, os, ip } = visitor
  const text = (value: string | null | undefined): string | null => value?.toWellFormed() ?? null
  return {
    // Includes the contact, so no visitor can use up the ids of another one.
    id: uuidv5(`${account}/${contactId}/${event.id.toWellFormed()}`, namespace),
    contactId,
    code: event.event_code.toWellFormed(),
    date,
    appCode: text(event.app_code),
    path: text(event.event_path),
    element: text(event.event_element),
    browser,
    os,
    ip,
    pdid: text(event.pdid),
    isTrigger: event.is_trigger ?? false,
    details: Object.keys(details).length > 0 ? details : null,
  }
}

import { z } from 'zod'
import { fieldNameMaxLength } from './contacts.ts'
import { eventFieldName, findEventField } from '@portico/domain/event-fields'
import { isInMomentYears, momentYears } from '@portico/domain/moment-years'
import { eventFields } from './filter.ts'
import { Instant } from './jobs.ts'
import { messages } from './messages.ts'
import type { Route } from './route.ts'
import { isSameName } from '@portico/domain/names'
import { composed } from '@portico/domain/unicode'

/** Limits of one request, and of the custom fields of an event. */
const maxEventsAtOnce = 1000
export const maxCustomFields = 50

// Composed, like all stored texts (ADR 0110).
const Code = z.string().trim().max(200).overwrite(composed)
const Text = z.string().max(2000).overwrite(composed)

/** Text, a number, true or false: the types that filters compare. Null is no value. */
const CustomValue = z.union([Text, z.number(), z.boolean(), z.null()], messages.invalid)

/** The moment, as ISO 8601 with its time zone: `2026-01-31T09:30:00Z`, `2026-01-31T10:30:00+01:00`. */
const EventDate = z.iso
  .datetime({
    offset: true,
    abort: true,
    error: ({ input }) => (input === undefined ? messages.required : messages.invalid),
  })
  .refine((text) => isInMomentYears(new Date(text).getTime()), `${messages.invalid} Enter a moment of ${momentYears}.`)

/**
 * An event of a contact that an application records. Other fields belong to the application; they are kept as
 * `details`, which may also be given directly.
 */
export const NewEvent = z
  .object({
    /** The kind of event: `page_view`, `click` … */
    event_code: Code.min(1, messages.required),
    event_date: EventDate,
    app_code: Code.nullish(),
    event_path: Text.nullish(),
    event_element: Text.nullish(),
    browser: Code.nullish(),
    os: Code.nullish(),
    ip: Code.nullish(),
    pdid: Code.nullish(),
    /** Whether it triggered something else. */
    is_trigger: z.boolean().nullish(),
    details: z.record(z.string(), CustomValue).nullish(),
  })
  .catchall(CustomValue)
  .superRefine((event, context) => {
    const own = Object.keys(event).filter((name) => name !== 'details' && !Object.hasOwn(eventFields, name))
    const inDetails = Object.keys(event.details ?? {})
    const problem = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    // Checked first, which limits the names that are read.
    if (own.length + inDetails.length > maxCustomFields) {
      problem(['details'], `An event has at most ${maxCustomFields} fields of its own.`)
      return
    }
    const seen = new Set<string>()
    const check = (name: string, path: string[]) => {
      const kept = eventFieldName(name)
      if (!isCustomFieldName(name)) problem(path, messages.notAllowed)
      else if (seen.has(kept)) problem(path, messages.duplicate)
      seen.add(kept)
    }
    for (const name of own) check(name, [name])
    for (const name of inDetails) check(name, ['details', name])
  })
export type NewEvent = z.output<typeof NewEvent>

/**
 * Returns whether an application may use this name, in the form in which it is kept (`eventFieldName`), for a custom field:
 * filters must tell it from the fields of every event. An object loses the value of `__proto__`.
 */
export function isCustomFieldName(written: string): boolean {
  const name = eventFieldName(written)
  if (name.length > fieldNameMaxLength || name === '__proto__') return false
  const isTaken = findEventField(name) !== undefined || isSameName(name, 'details')
  return name !== '' && !isTaken && !name.startsWith('$') && !name.includes('\0')
}

/** A name of a custom field that pages of other sites have sent. Its values are recorded once a person has added it. */
export const OfferedEventField = z.object({ name: z.string(), firstSeenAt: Instant, lastSeenAt: Instant })
export type OfferedEventField = z.output<typeof OfferedEventField>

export const eventsApi = {
  listEventFields: {
    method: 'GET',
    path: '/contact-service/v1/fields/events',
    summary: 'List the custom event fields that applications have recorded',
    access: 'contact-service::offers::get',
    reply: z.array(z.object({ name: z.string() })),
  },
  listOfferedEventFields: {
    method: 'GET',
    path: '/contact-service/v1/fields/events/offered',
    summary:
      'List the custom event fields that pages of other sites have sent and that are not added yet, the latest first',
    access: 'contact-service::remoteAccess::get',
    reply: z.array(OfferedEventField),
  },
  addEventField: {
    method: 'POST',
    path: '/contact-service/v1/fields/events',
    summary: 'Add a custom event field, so that events of pages of other sites can have it',
    access: 'contact-service::remoteAccess::put',
    stores: { what: 'work', does: 'add fields of events' },
    isUnconditional: true,
    body: z.strictObject({
      name: z
        .string()
        .overwrite(eventFieldName)
        .min(1, messages.required)
        .refine(isCustomFieldName, messages.notAllowed),
    }),
    reply: z.object({ name: z.string() }),
    status: 201,
  },
  removeEventField: {
    method: 'DELETE',
    path: '/contact-service/v1/fields/events/:name',
    summary: 'Remove a custom event field that no event has, or dismiss an offered one',
    access: 'contact-service::remoteAccess::put',
    stores: false,
    isUnconditional: true,
    params: z.object({ name: z.string() }),
    reply: z.object({}),
    errors: ['not_found', 'in_use'],
  },
  recordEvents: {
    method: 'POST',
    path: '/contact-service/v1/offers/:id/events',
    summary: 'Record one contact event, or up to 1,000 in an array, all or none',
    access: 'contact-service::offers::put',
    stores: false,
    params: z.object({ id: z.string() }),
    body: z.union([
      z
        .array(NewEvent)
        .min(1, messages.required)
        .max(maxEventsAtOnce, `At most ${maxEventsAtOnce} events can be recorded at once.`),
      NewEvent,
    ]),
    reply: z.object({ recorded: z.number() }),
    status: 201,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>

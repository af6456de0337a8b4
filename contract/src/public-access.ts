import { composed } from '@portico/domain/unicode'
import { z } from 'zod'
import { FieldValue } from './contacts.ts'
import { isCustomFieldName } from './events.ts'
import { eventFields } from './filter.ts'
import { messages } from './messages.ts'
import type { Route } from './route.ts'

/** Limits of public requests (ADR 0057). */
export const collectorLimits = {
  /** Events in one request. */
  events: 100,
  /** Bytes of the body of one request. */
  bodyBytes: 64 * 1024,
  /** Maximum age of an event in days; older ones are refused. */
  oldestDays: 7,
  /** Custom fields of one event; further ones are dropped. */
  customFields: 10,
  /** Maximum characters of the name and of the text of a custom field; a field with more is dropped. */
  fieldNameLength: 50,
  fieldValueLength: 500,
  /** Latest names of custom fields that are kept for people to add; values of fields that are not added are dropped. */
  offeredFieldNames: 200,
} as const

// Composed, like all stored texts (ADR 0110).
const Code = z.string().trim().min(1, messages.required).max(200).overwrite(composed)
const Text = z.string().max(2000).overwrite(composed)

/** Set by the server from the request: pages cannot invent them. */
const setByServer = ['ip', 'browser', 'os']

/**
 * An event of a visitor. Other fields belong to the page. `id` identifies a repeated event: any text that the page does
 * not use for another event of this contact.
 */
export const CollectedEvent = z
  .object({
    id: z.string().min(1, messages.required).max(64),
    event_code: Code,
    /** ISO 8601 with its time zone; the time of arrival by default. */
    event_date: z.iso.datetime({ offset: true, error: messages.invalid }).optional(),
    app_code: Code.nullish(),
    event_path: Text.nullish(),
    event_element: Text.nullish(),
    pdid: Code.nullish(),
    is_trigger: z.boolean().nullish(),
  })
  .catchall(z.union([z.string().overwrite(composed), z.number(), z.boolean(), z.null()], messages.invalid))
  .superRefine((event, context) => {
    for (const name of Object.keys(event)) {
      const isKnown = name === 'id' || Object.hasOwn(eventFields, name)
      if (setByServer.includes(name) || (!isKnown && !isCustomFieldName(name))) {
        context.addIssue({ code: 'custom', path: [name], message: messages.notAllowed })
      }
    }
  })
export type CollectedEvent = z.output<typeof CollectedEvent>

/** One event, or up to 100 with the time of the sender's clock, which corrects the times of the events. */
export const CollectedEvents = z.union([
  z.strictObject({
    sentAt: z.iso.datetime({ offset: true, error: messages.invalid }).optional(),
    events: z
      .array(CollectedEvent)
      .min(1, messages.required)
      .max(collectorLimits.events, `At most ${collectorLimits.events} events can be recorded at once.`),
  }),
  CollectedEvent,
])
export type CollectedEvents = z.output<typeof CollectedEvents>

/** Outcome of recording events. Events that were recorded before count as recorded. */
export const CollectedReply = z.object({
  recorded: z.number().int(),
  /** Custom fields that were dropped, because the event or the account has too many, or one is too long. */
  dropped: z.number().int(),
})

const path = '/contact-service/v1/public/:account'
/** The number in its only form: without a sign, spaces or leading zeros. */
const params = z.object({
  account: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number)
    .pipe(z.int().max(2_147_483_647)),
})

/** Calls by pages of other sites, authorized by a remote access instead of a sign-in (access kind `remote-access`). */
export const publicAccessApi = {
  readPublicOffer: {
    method: 'GET',
    path: `${path}/offers`,
    summary: 'Get the public columns of the one contact with these values of the authentication columns',
    access: 'remote-access',
    params,
    reply: z.record(z.string(), FieldValue),
    errors: ['access_refused', 'not_found', 'too_many_requests'],
  },
  recordPublicEvents: {
    method: 'POST',
    path: `${path}/events`,
    summary: 'Record one event of the contact with these values, or up to 100; a repeated event is recorded once',
    access: 'remote-access',
    stores: false,
    params,
    body: CollectedEvents,
    maxBytes: collectorLimits.bodyBytes,
    reply: CollectedReply,
    status: 202,
    errors: ['access_refused', 'not_found', 'too_many_requests'],
  },
} as const satisfies Record<string, Route>

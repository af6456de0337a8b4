import { z } from 'zod'
import { columnListText } from './column-list.ts'
import { FieldValue } from './contacts.ts'
import { Instant } from './jobs.ts'
import { ListQuery, listReply } from './list-query.ts'
import { messages } from './messages.ts'
import { authenticationText, domainOrIpProblem, plainDomainOrIp } from './remote-access/rules.ts'
import type { Route } from './route.ts'
import { Version, versionOfChange } from './versions.ts'

export const RemoteAccessType = z.enum(['domain', 'ip'])
export type RemoteAccessType = z.output<typeof RemoteAccessType>

const columnTextMaxLength = 20_000

const draft = {
  type: RemoteAccessType,
  domainOrIp: z.string().trim().max(260, messages.invalid).overwrite(plainDomainOrIp),
  /** Only for a domain; ignored for an IP address. */
  includeSubDomains: z.boolean().default(false),
  /** JSON object of one or two columns, each with its own placeholder: `{"Email":"{{Email}}"}`. */
  filter: authenticationText(z.string().min(1, messages.required).max(columnTextMaxLength, messages.invalid)),
  /** Column names separated by spaces; names with spaces in double quotes. */
  publicColumns: columnListText(
    z.string().trim().min(1, messages.required).max(columnTextMaxLength, messages.invalid),
    `${messages.invalid} Put names with spaces in double quotes.`,
  ),
  /** Not served while paused. Unchanged if absent. */
  isPaused: z.boolean().optional(),
  /** Not served after this moment; null: never expires. Unchanged if absent. */
  expiresAt: Instant.nullable().optional(),
}

/** Lets pages of a domain, or callers at an address, read public columns of one contact at a time. */
export const NewRemoteAccess = z.strictObject(draft).superRefine(({ type, domainOrIp }, context) => {
  const message = domainOrIpProblem(type, domainOrIp)
  if (message) context.addIssue({ code: 'custom', path: ['domainOrIp'], message })
})
export type NewRemoteAccess = z.input<typeof NewRemoteAccess>
export type RemoteAccessDraft = z.output<typeof NewRemoteAccess>

export const ChangedRemoteAccess = NewRemoteAccess.safeExtend(versionOfChange)
export type ChangedRemoteAccess = z.input<typeof ChangedRemoteAccess>

export const RemoteAccess = z.object({
  _id: z.string(),
  version: Version,
  accountId: z.number(),
  type: RemoteAccessType,
  domainOrIp: z.string(),
  includeSubDomains: z.boolean(),
  filter: z.string(),
  publicColumns: z.string(),
  creationDate: Instant,
  creator: z.string(),
  isPaused: z.boolean(),
  expiresAt: Instant.nullable(),
  /** When a contact was last read or an event last recorded, to the minute; null if never. */
  lastUsedAt: Instant.nullable(),
  /** Why it is not served until it is saved again: the right with which it was saved has been lost. Null if served. */
  stopped: z.string().nullable(),
  /** Contacts are only found by an index of the authentication columns, so nothing is served before it is ready. */
  index: z.object({
    state: z.enum(['ready', 'building', 'failed']),
    /** Why it failed; null otherwise. */
    reason: z.string().nullable(),
  }),
})
export type RemoteAccess = z.output<typeof RemoteAccess>

/** Calls of one day (UTC) by their outcome. */
export const RemoteAccessDay = z.object({
  day: z.iso.date(),
  /** Contacts read. */
  served: z.number(),
  /** No contact has the value. */
  notFound: z.number(),
  /** Several contacts have the value. */
  several: z.number(),
  /**
   * Refused for the caller's origin or address, a pause, the expiry, a missing index or the lost right of its saver.
   */
  refused: z.number(),
  /** Above the limits of an address or of the access. */
  limited: z.number(),
  /** Events recorded. */
  events: z.number(),
  /** Values of events that were dropped, because they or their names exceeded a limit. */
  dropped: z.number(),
})
export type RemoteAccessDay = z.output<typeof RemoteAccessDay>

/** Why a call is not served, most general first. Callers cannot distinguish them. */
export const CallRefusal = z.enum([
  'invalid_origin',
  'insecure_origin',
  'origin_not_allowed',
  'address_not_allowed',
  'other_columns',
  'paused',
  'expired',
  'no_index',
  'saver_not_allowed',
  'not_found',
  'several',
])
export type CallRefusal = z.output<typeof CallRefusal>

export const RemoteAccessUsage = z.object({
  /** The last 30 days with calls, oldest first. */
  days: z.array(RemoteAccessDay),
  /** The last ten refused origins or addresses, latest first, each with the reason as a sentence. */
  refusedOrigins: z.array(
    z.object({ origin: z.string(), at: Instant, calls: z.number(), refusal: CallRefusal, text: z.string() }),
  ),
  /** Whether forwarded addresses came from a proxy that is not trusted: then callers share the proxy's address. */
  hasUntrustedProxy: z.boolean(),
})
export type RemoteAccessUsage = z.output<typeof RemoteAccessUsage>

/**
 * How easily strangers find contacts by guessing values of the authentication columns, based on a sample of contacts.
 */
export const ColumnRating = z.object({
  /**
   * `open`: anyone can read every contact, by counting; `weak`: many are found by guessing; `fair`: few are, or only by
   * people who know the value, such as an email; `strong`: values are too long and random to be guessed.
   */
  level: z.enum(['open', 'weak', 'fair', 'strong']),
  /** Share of contacts that a stranger would probably find within a day; 0 to 1. Null without contacts. */
  guessableShare: z.number().nullable(),
  /** Share of contacts with a value that no other contact has, which can be served; 0 to 1. Null without contacts. */
  uniqueShare: z.number().nullable(),
  /** A sentence for users. */
  text: z.string(),
})
export type ColumnRating = z.output<typeof ColumnRating>

/** A call as a stranger would make it. Either `origin` or `address` gives its source. */
export const RemoteAccessTrial = z.strictObject({
  /** Origin of a page: `https://shop.example.com`. */
  origin: z.string().trim().max(300).optional(),
  /** Address of a program: `203.0.113.7`. */
  address: z.string().trim().max(45).optional(),
  /** Values by authentication column. */
  query: z.record(z.string(), z.string().max(2000)),
  /** Settings to try before saving: they replace those of the access `id`, or are added. */
  draft: NewRemoteAccess.optional(),
  id: z.string().optional(),
})
export type RemoteAccessTrial = z.input<typeof RemoteAccessTrial>

export const RemoteAccessTrialResult = z.object({
  /** HTTP status that the caller would get. */
  status: z.union([z.literal(200), z.literal(403), z.literal(404)]),
  /** Public columns of the contact; null if none is served. */
  offer: z.record(z.string(), FieldValue).nullable(),
  refusal: CallRefusal.nullable(),
  /** A sentence for users. */
  text: z.string(),
  /** The access that lets the caller in; null for a draft without id, and if there is none. */
  accessId: z.string().nullable(),
})
export type RemoteAccessTrialResult = z.output<typeof RemoteAccessTrialResult>

const path = '/contact-service/v1/remoteAccess'
const params = z.object({ id: z.string() })

export const remoteAccessApi = {
  listRemoteAccesses: {
    method: 'GET',
    path,
    summary: 'List or count remote accesses, newest first unless sorted',
    access: 'contact-service::remoteAccess::get',
    query: ListQuery,
    reply: listReply(RemoteAccess),
    errors: ['invalid_filter', 'timed_out'],
  },
  rateColumns: {
    method: 'GET',
    path: `${path}/rating`,
    summary: 'Rate how easily strangers find contacts by guessing values of one or two columns',
    access: 'contact-service::remoteAccess::get',
    query: z.strictObject({ column: z.string(), column2: z.string().optional() }),
    reply: ColumnRating,
    errors: ['timed_out'],
  },
  getSamplePage: {
    method: 'GET',
    path: `${path}/sample`,
    summary: "Get the page of the demo's sample site for one contact, if a remote access lets the site in",
    // The address identifies a contact.
    access: 'contact-service::offers::get',
    reply: z.object({ url: z.string().nullable() }),
  },
  tryRemoteAccess: {
    method: 'POST',
    path: `${path}/trial`,
    summary: 'Show what a caller would get from remote accesses, or why not',
    access: 'contact-service::remoteAccess::post',
    stores: false,
    tries: {
      as: ({ draft: tried, id }) => ({ ...(id !== undefined && { params: [id] }), body: Object(tried ?? {}) }),
      stores: { what: 'work', does: 'try remote accesses that are not saved', onlyWith: { draft: 'given' } },
    },
    body: RemoteAccessTrial,
    reply: RemoteAccessTrialResult,
    errors: ['not_found', 'timed_out'],
  },
  getRemoteAccess: {
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get a remote access',
    access: 'contact-service::remoteAccess::get',
    params,
    reply: RemoteAccess,
    errors: ['not_found'],
  },
  createRemoteAccess: {
    method: 'POST',
    path,
    summary: 'Let a domain or an IP address read public columns of contacts',
    access: 'contact-service::remoteAccess::post',
    stores: { what: 'work', does: 'save remote accesses' },
    body: NewRemoteAccess,
    reply: RemoteAccess,
    status: 201,
    errors: ['limit_reached'],
  },
  updateRemoteAccess: {
    method: 'PUT',
    path: `${path}/:id`,
    summary: 'Change, pause or resume a remote access',
    access: 'contact-service::remoteAccess::put',
    stores: { what: 'work', does: 'save remote accesses' },
    params,
    body: ChangedRemoteAccess,
    reply: RemoteAccess,
    errors: ['not_found', 'newer_version'],
  },
  deleteRemoteAccess: {
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete a remote access',
    access: 'contact-service::remoteAccess::delete',
    stores: false,
    params,
    reply: z.null(),
    status: 204,
    errors: ['not_found'],
  },
  getRemoteAccessUsage: {
    method: 'GET',
    path: `${path}/:id/usage`,
    summary: 'Get the calls of a remote access per day, and the origins it refused',
    access: 'contact-service::remoteAccess::get',
    params,
    reply: RemoteAccessUsage,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>

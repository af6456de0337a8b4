import { z } from 'zod'
import { Count } from './list-query.ts'
import { Instant } from './jobs.ts'
import type { Route } from './route.ts'
import { FieldValue } from './contacts.ts'
import { SavedFilterEntry } from './saved-filters.ts'

// A segment is a saved filter as people see it: the contacts it finds, how many they were, and what uses it.

/** Longer queries are left out of the list. */
export const listedQueryLength = 4000

/** For how many days nightly counts are kept. */
export const countedDays = 400

/** The nights that a list contains. */
export const listedNights = 30

const UseKind = z.enum(['segment', 'dashboard', 'export schedule', 'report schedule', 'export'])

/** A stored item that names a segment. Its name is for administrators; null for others. */
export const SegmentUse = z.object({ kind: UseKind, id: z.string(), name: z.string().nullable() })
export type SegmentUse = z.output<typeof SegmentUse>

/** A nightly count. */
export const SegmentNight = z.object({
  /** A day of the account's time zone. */
  night: z.iso.date(),
  /** Null if the segment could not be counted. */
  contacts: z.number().int().nullable(),
  /** Why not; null if it could. */
  reason: z.string().nullable(),
})
export type SegmentNight = z.output<typeof SegmentNight>

export const SegmentEntry = SavedFilterEntry.extend({
  /** JSON array of stages, as text; null in the list if it is long. */
  aggregateQuery: z.string().nullable(),
  /** Its creator; null for a segment of the parent account. */
  creator: z.string().nullable(),
  createdAt: Instant,
  changedAt: Instant,
  isFavourite: z.boolean(),
  /** How many items of each kind name it. */
  uses: z.array(z.object({ kind: UseKind, items: z.number().int() })),
  /** When an export or a run of a schedule used it last; null if none is known. */
  lastUsedAt: Instant.nullable(),
  /**
   * Counts of all contacts by night, oldest first; null for callers who may search only some contacts, or only under
   * conditions.
   */
  nights: z.array(SegmentNight).nullable(),
})
export type SegmentEntry = z.output<typeof SegmentEntry>

/** One segment, with all its nights, and what names it. */
export const Segment = SegmentEntry.extend({ aggregateQuery: z.string(), usedBy: z.array(SegmentUse) })
export type Segment = z.output<typeof Segment>

/** Numbers of contacts: in both of two segments, and in one of them only. Together they are those in either. */
export const SegmentComparison = z.object({
  both: z.number().int(),
  onlyThis: z.number().int(),
  onlyOther: z.number().int(),
})
export type SegmentComparison = z.output<typeof SegmentComparison>

/**
 * How many conditions of a segment are explained one by one, how deep they may be nested, and how many letters their
 * JSON may have, where each level of nesting repeats what is inside.
 */
export const explainedConditions = { most: 300, deepest: 5, letters: 200_000 } as const

/** A condition, or a group of them, of a segment, and whether one contact meets it. */
export type MembershipNode = {
  /** Null if the caller may not search with it: what it finds is hidden, and so is what it compared. */
  isMet: boolean | null
} & (
  | { kind: 'all' | 'any' | 'none'; of: MembershipNode[]; more: number }
  | { kind: 'segment'; id: string | null; name: string }
  | {
      kind: 'condition'
      condition: Record<string, unknown>
      values: { field: string; value: string | number | boolean | null }[]
      events: { all: number; meeting: number; latest: string | null } | null
    }
)

const isMet = z.boolean().nullable()

const MembershipGroup = z.object({
  /** All of `of` must be met, any of them, or none. */
  kind: z.enum(['all', 'any', 'none']),
  isMet,
  get of(): z.ZodType<MembershipNode[]> {
    return z.array(MembershipNode)
  },
  /** How many further ones are not listed: a long list is explained in part. */
  more: z.number().int(),
})

/** Another segment that the segment names. `id`: null for one of the parent account that is not shown here. */
const MembershipSegment = z.object({
  kind: z.literal('segment'),
  isMet,
  id: z.string().nullable(),
  name: z.string(),
})

const MembershipCondition = z.object({
  kind: z.literal('condition'),
  isMet,
  /** As in a `$match` stage; with several fields or a `$or` if it is nested too deep to be explained in parts. */
  condition: z.record(z.string(), z.unknown()),
  /** The values of the contact that it was compared with; null: it has none. */
  values: z.array(z.object({ field: z.string(), value: FieldValue.nullable() })),
  /** Of a condition on events: how many the contact has, how many meet it, and when the last of these was. */
  events: z.object({ all: z.number().int(), meeting: z.number().int(), latest: Instant.nullable() }).nullable(),
})

export const MembershipNode: z.ZodType<MembershipNode> = z.discriminatedUnion('kind', [
  MembershipGroup,
  MembershipSegment,
  MembershipCondition,
])

/** Why a contact is in a segment, or not: it is if it meets all of the conditions. */
export const Membership = z.object({ isIn: z.boolean(), conditions: z.array(MembershipNode), more: z.number().int() })
export type Membership = z.output<typeof Membership>

const path = '/contact-service/v1/segments'
const params = z.object({ id: z.string() })

export const segmentsApi = {
  listSegments: {
    method: 'GET',
    path,
    summary: 'List segments (saved filters) by name, with what uses them and their last 30 nightly counts',
    access: 'contact-service::rdls::get',
    reply: z.array(SegmentEntry),
  },
  getSegment: {
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get a segment with the items that use it and all its nightly counts',
    access: 'contact-service::rdls::get',
    params,
    reply: Segment,
    errors: ['not_found'],
  },
  countSegment: {
    method: 'GET',
    path: `${path}/:id/count`,
    summary: 'Count the contacts of a segment now, among those that the caller may see',
    access: 'contact-service::rdls::get',
    params,
    reply: Count,
    errors: ['not_found', 'invalid_filter', 'timed_out'],
  },
  compareSegments: {
    method: 'GET',
    path: `${path}/:id/comparison`,
    summary: 'Count the contacts that are in both of two segments, or in one only, among those that the caller may see',
    access: 'contact-service::rdls::get',
    params,
    query: z.strictObject({ with: z.string().max(100).describe('The id of the other segment.') }),
    reply: SegmentComparison,
    errors: ['not_found', 'invalid_filter', 'timed_out'],
  },
  explainMembership: {
    method: 'GET',
    path: `${path}/:id/contacts/:contact/why`,
    summary: 'Explain why a contact is in a segment or not: each condition, whether it is met, and the value compared',
    access: 'contact-service::rdls::get',
    params: z.object({ id: z.string(), contact: z.string() }),
    reply: Membership,
    errors: ['not_found', 'invalid_filter', 'timed_out'],
  },
  setFavouriteSegment: {
    method: 'PUT',
    path: `${path}/:id/favourite`,
    summary: 'Mark a segment as one’s favourite, or no longer',
    access: 'contact-service::rdls::get',
    stores: false,
    params,
    body: z.strictObject({ isFavourite: z.boolean() }),
    reply: z.null(),
    status: 204,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>

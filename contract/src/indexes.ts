import { z } from 'zod'
import { Instant } from './jobs.ts'
import type { Route } from './route.ts'
import { messages } from './messages.ts'

/** Prefix of the names of custom indexes. Not shown to users (specification 3 §9). */
export const customIndexPrefix = 'cIndex_'

/** Long enough for the default name: the prefix, two field names of 200 characters and their orders. */
export const indexNameMaxLength = 420

/** Ascending or descending. */
export const SortOrder = z.union([z.literal(1), z.literal(-1)])
export type SortOrder = z.output<typeof SortOrder>

const KeyPairs = z.array(z.tuple([z.string(), SortOrder]))

/** The fields of an index in order, each with its sort order: `[["Email", 1], ["City", -1]]`. */
export const IndexKey = KeyPairs.min(1, messages.required).max(2, 'An index has one field or two.')
export type IndexKey = z.output<typeof IndexKey>

/** One pair per field, or an object, whose order counts (JavaScript puts integer names first). */
const WireKey = z
  .union([KeyPairs, z.record(z.string(), SortOrder).transform((key) => Object.entries(key))])
  .pipe(IndexKey)

export const NewIndex = z.strictObject({
  key: WireKey,
  options: z
    .strictObject({
      name: z
        .string()
        .trim()
        .max(indexNameMaxLength, `Name should have at most ${indexNameMaxLength} characters`)
        .optional()
        .describe(`With or without the prefix ${customIndexPrefix}; by itself field1_order1[_field2_order2].`),
      unique: z.boolean().default(false).describe('Whether no two contacts may have the same value.'),
      background: z.boolean().optional().describe('Taken, and without effect: every index is built in the background.'),
    })
    .prefault({}),
})
export type NewIndex = z.input<typeof NewIndex>

/** State of an index. `building` includes the time in the queue. */
export const IndexState = z.enum(['building', 'ready', 'failed', 'deleting'])
export type IndexState = z.output<typeof IndexState>

/** An index with its state, size and use. */
export const IndexDetails = z.object({
  name: z.string(),
  fieldName1: z.string(),
  sortOrder1: SortOrder,
  fieldName2: z.string().nullable(),
  sortOrder2: SortOrder.nullable(),
  unique: z.boolean(),
  /** Created by the portal itself; it cannot be deleted. */
  isInternal: z.boolean(),
  /** Made and dropped by the portal, for searches for parts of the field's texts; an internal one. */
  isKept: z.boolean(),
  /** Of a kept one, the last day (UTC) with such a search, `2026-01-31`. */
  lastSearchedOn: z.iso.date().nullable(),
  state: IndexState,
  /** Why it failed, as a sentence for users; null otherwise. */
  reason: z.string().nullable(),
  /** 0 to 1 while it is being built; null otherwise. */
  progress: z.number().nullable(),
  /** Null while the account's database server cannot be reached. */
  sizeBytes: z.number().nullable(),
  /** Scans by searches and imports since the database's statistics were reset; null while they are unavailable. */
  uses: z.number().nullable(),
  createdAt: Instant.nullable(),
  creator: z.string().nullable(),
})
export type IndexDetails = z.output<typeof IndexDetails>

/** Estimated cost of an index. */
export const IndexEstimate = z.object({
  /** Contacts that it would contain. */
  rows: z.number(),
  sizeBytes: z.number(),
  buildSeconds: z.number(),
})
export type IndexEstimate = z.output<typeof IndexEstimate>

/** The index of a field that a filter uses. */
export const FieldIndex = z.object({
  /** State of the most usable index that begins with the field; null without any. */
  state: IndexState.nullable(),
  /** Whether an index of the field alone would probably be built in less than five seconds, once its turn has come. */
  isQuick: z.boolean(),
})
export type FieldIndex = z.output<typeof FieldIndex>

/** The full-text index of contacts, which the portal builds after a full-text search in a large account. */
export const WordIndex = z.object({
  /** 'absent': searches read the texts, since the account is small or an import is running. */
  state: z.enum(['ready', 'building', 'absent']),
  /** 0 to 1 while it is being built. */
  progress: z.number().nullable(),
})
export type WordIndex = z.output<typeof WordIndex>

const path = '/contact-service/v1/indexes'
const Named = z.object({ name: z.string() })

export const indexesApi = {
  listIndexes: {
    method: 'GET',
    path,
    summary: 'List the indexes by name with their fields and sort orders',
    access: 'contact-service::indexes::get',
    reply: z.record(z.string(), IndexKey),
  },
  listIndexDetails: {
    method: 'GET',
    path: `${path}/details`,
    summary: 'List the indexes with state, size and usage, including failed ones',
    access: 'contact-service::indexes::get',
    reply: z.array(IndexDetails),
  },
  estimateIndex: {
    method: 'GET',
    path: `${path}/estimate`,
    summary: 'Estimate the size and build time of an index on one or two fields',
    access: 'contact-service::indexes::get',
    query: z.strictObject({ field: z.string(), field2: z.string().optional() }),
    reply: IndexEstimate,
    errors: ['timed_out'],
  },
  getFieldIndex: {
    method: 'GET',
    path: `${path}/field`,
    summary: 'Get the index state of a field, and whether one would be built quickly',
    access: 'contact-service::indexes::post',
    query: z.strictObject({ field: z.string() }),
    reply: FieldIndex,
    errors: ['timed_out'],
  },
  getWordIndex: {
    method: 'GET',
    path: `${path}/words`,
    summary: 'Get the state of the full-text index; requests it if it is missing',
    access: 'contact-service::offers::get',
    reply: WordIndex,
  },
  createIndex: {
    method: 'POST',
    path,
    summary: 'Build an index on one or two fields in the background',
    access: 'contact-service::indexes::post',
    stores: false,
    body: NewIndex,
    reply: Named,
    status: 202,
    errors: ['name_taken', 'limit_reached'],
  },
  /** `key` is the key spec, joined by underscores (`Email_1_City_-1`), or the name. */
  deleteIndex: {
    method: 'DELETE',
    path: `${path}/:key`,
    summary: "Delete a user's index by key spec or name, in the background",
    access: 'contact-service::indexes::delete',
    stores: false,
    params: z.object({ key: z.string() }),
    reply: Named,
    status: 202,
    errors: ['not_found', 'internal_index'],
  },
} as const satisfies Record<string, Route>

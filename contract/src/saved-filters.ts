import { z } from 'zod'
import { filterLimits, stagesText } from './filter.ts'
import { Instant } from './jobs.ts'
import type { Route } from './route.ts'
import { Version, versionOfChange } from './versions.ts'
import { messages } from './messages.ts'

/** A filter that is stored under a name ("predefined" on screens, `rdl` on the wire). */
export const NewSavedFilter = z.strictObject({
  name: z.string().trim().min(1, messages.required).max(100, 'Name should have at most 100 characters'),
  /** JSON array of stages, as text. */
  aggregateQuery: stagesText(
    z.string().trim().min(1, messages.required).max(filterLimits.storedLength, messages.tooLarge),
  ),
  showInSubaccounts: z.boolean().default(false),
})
export type NewSavedFilter = z.input<typeof NewSavedFilter>

export const ChangedSavedFilter = NewSavedFilter.extend(versionOfChange)
export type ChangedSavedFilter = z.input<typeof ChangedSavedFilter>

export const SavedFilterEntry = z.object({
  _id: z.string(),
  version: Version,
  name: z.string(),
  showInSubaccounts: z.boolean(),
  /** False for a filter of the parent account, which cannot be changed here. */
  isOwn: z.boolean(),
})
export type SavedFilterEntry = z.output<typeof SavedFilterEntry>

export const SavedFilter = SavedFilterEntry.extend({ aggregateQuery: z.string() })
export type SavedFilter = z.output<typeof SavedFilter>

/** How many versions of each filter are kept. */
export const versionsKept = 20

/** Longer queries are left out of the list of versions. */
export const listedVersionLength = 4000

/** A version of a saved filter, with its stages as text: null in the list if they are long. */
export const FilterVersionEntry = z.object({
  version: Version,
  name: z.string(),
  aggregateQuery: z.string().nullable(),
  showInSubaccounts: z.boolean(),
  savedBy: z.string(),
  savedAt: Instant,
})
export type FilterVersionEntry = z.output<typeof FilterVersionEntry>

export const FilterVersion = FilterVersionEntry.extend({ aggregateQuery: z.string() })
export type FilterVersion = z.output<typeof FilterVersion>

const path = '/contact-service/v1/rdls'
const params = z.object({ id: z.string() })

export const savedFiltersApi = {
  listSavedFilters: {
    method: 'GET',
    path,
    summary: 'List saved filters of the account, and those its parent account shares, by name',
    access: 'contact-service::rdls::get',
    reply: z.array(SavedFilterEntry),
  },
  getSavedFilter: {
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get a saved filter with its stages',
    access: 'contact-service::rdls::get',
    params,
    reply: SavedFilter,
    errors: ['not_found'],
  },
  createSavedFilter: {
    method: 'POST',
    path,
    summary: 'Save a filter under a name',
    access: 'contact-service::rdls::post',
    stores: { what: 'work', does: 'save filters' },
    body: NewSavedFilter,
    reply: SavedFilter,
    status: 201,
    errors: ['name_taken', 'limit_reached', 'invalid_filter'],
  },
  updateSavedFilter: {
    method: 'PUT',
    path: `${path}/:id`,
    summary: 'Change a saved filter of the account',
    access: 'contact-service::rdls::put',
    stores: { what: 'work', does: 'save filters' },
    params,
    body: ChangedSavedFilter,
    reply: SavedFilter,
    errors: ['not_found', 'parent_filter', 'name_taken', 'invalid_filter', 'newer_version'],
  },
  listFilterVersions: {
    method: 'GET',
    path: `${path}/:id/versions`,
    summary:
      'List the last 20 versions of a saved filter of the account, newest first; to restore one, save its values',
    access: 'contact-service::rdls::get',
    params,
    reply: z.array(FilterVersionEntry),
    errors: ['not_found', 'parent_filter'],
  },
  getFilterVersion: {
    method: 'GET',
    path: `${path}/:id/versions/:version`,
    summary: 'Get a version of a saved filter of the account',
    access: 'contact-service::rdls::get',
    params: params.extend({ version: z.coerce.number().int().min(1).max(2_147_483_647) }),
    reply: FilterVersion,
    errors: ['not_found', 'parent_filter'],
  },
  deleteSavedFilter: {
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete a saved filter of the account',
    access: 'contact-service::rdls::delete',
    stores: false,
    params,
    reply: z.null(),
    status: 204,
    errors: ['not_found', 'parent_filter'],
  },
} as const satisfies Record<string, Route>

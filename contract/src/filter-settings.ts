import { z } from 'zod'
import type { Route } from './route.ts'
import { Version, versionOfChange } from './versions.ts'

/** The account's rules for building filters. The API itself runs every filter within its timeout. */
export const FilterSettings = z.strictObject({
  /**
   * Whether standard filters may only use indexed fields (specification 3 §5). Off until an administrator enables it.
   */
  onlyIndexedFields: z.boolean(),
})
export type FilterSettings = z.output<typeof FilterSettings>

export const StoredFilterSettings = FilterSettings.extend({ version: Version })
export type StoredFilterSettings = z.output<typeof StoredFilterSettings>

const path = '/contact-service/v1/configuration/filters'

export const filterSettingsApi = {
  getFilterSettings: {
    method: 'GET',
    path,
    summary: 'Get the rules for building filters',
    access: 'contact-service::offers::get',
    reply: StoredFilterSettings,
  },
  setFilterSettings: {
    method: 'PUT',
    path,
    summary: 'Change the rules for building filters',
    access: 'administrator',
    action: 'contact-service::configuration::put',
    stores: { what: 'work', does: 'change settings of the account' },
    body: FilterSettings.extend(versionOfChange),
    reply: StoredFilterSettings,
    errors: ['newer_version'],
  },
} as const satisfies Record<string, Route>

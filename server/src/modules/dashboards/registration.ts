import type { Registration } from '#platform/registration.ts'
import { dashboardFields } from './field-uses.ts'
import { dashboardFilters } from './filter-uses.queries.ts'
import { sharingMark } from './dashboards.queries.ts'

/** Registers the mark of who may see dashboards: an open one closes when its sharing ends. */
export const dashboardRegistration: Registration = {
  fieldUses: [dashboardFields],
  filterUses: [dashboardFilters],
  changes: [{ list: 'dashboards', action: 'bi::dashboards::get', mark: sharingMark }],
}

import type { Registration } from '#platform/registration.ts'
import { dashboardFields } from './field-uses.ts'
import { sharingMark } from './dashboards.queries.ts'

/** Registers the mark of who may see dashboards: an open one closes when its sharing ends. */
export const dashboardRegistration: Registration = {
  fieldUses: [dashboardFields],
  changes: [{ list: 'dashboards', action: 'bi::dashboards::get', mark: sharingMark }],
}

import type { Registration } from '#platform/registration.ts'
import { policyFields, rowRuleFields } from './field-uses.ts'
import { accessMark } from './access-mark.queries.ts'

/** Registers changes of rights, by which open streams of changes authenticate again. */
export const accessRegistration: Registration = {
  fieldUses: [rowRuleFields, policyFields],
  // Its marks are sent to no one, whatever the action.
  changes: [{ list: 'access', action: 'bi::dashboards::get', mark: accessMark }],
}

import type { Registration } from '#platform/registration.ts'
import { policyFields, rowRuleFields } from './field-uses.ts'
import { accessMark } from './access-mark.queries.ts'

/** Registers changes of rights: when one happens, open streams of changes authenticate again. */
export const accessRegistration: Registration = {
  fieldUses: [rowRuleFields, policyFields],
  // Its marks are sent to no one, regardless of the action.
  changes: [{ list: 'access', action: 'bi::dashboards::get', mark: accessMark }],
}

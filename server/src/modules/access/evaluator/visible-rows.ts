import type { Stages } from '@portico/contract/filter'
import { matching } from '@portico/domain/pipeline/match-json'
import { eitherRule } from '@portico/domain/pipeline/row-rules'
import type { Action } from '@portico/contract/route'
import type { CallerRight, JudgedRequest } from '#platform/http/context.ts'
import { isAllowed } from './granted-actions.ts'
import type { HeldIdentity } from './held-identity.ts'

/** The rights of one identity, and the contacts it may see; null for all contacts. */
export type Granting = {
  rowRule: Stages | null
  grants: (action: Action, request: JudgedRequest) => boolean
}

export const grantingOf = ({ policies, rowRule }: Pick<HeldIdentity, 'policies' | 'rowRule'>): Granting => ({
  rowRule,
  grants: (action, request) => isAllowed(policies, action, request),
})

/** Matches no contact. */
const noContacts: Stages = matching({ _id: { $exists: false } })

/**
 * The contacts that a caller may see with a request: those of each identity that grants the request. An identity
 * without a row rule sees all contacts (ADR 0086). Returns null for all contacts.
 */
export function visibleRows(
  identities: readonly Granting[],
  { access }: CallerRight,
  request: JudgedRequest,
): Stages | null {
  const granting = isAction(access) ? identities.filter(({ grants }) => grants(access, request)) : identities
  const rules = granting.map(({ rowRule }) => rowRule)
  if (rules.length === 0) return noContacts
  const given = rules.filter((rule) => rule !== null)
  return given.length < rules.length ? null : eitherRule(given)
}

const isAction = (access: CallerRight['access']): access is Action => access.includes('::')

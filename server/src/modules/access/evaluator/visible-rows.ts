import type { Stages } from '@portico/contract/filter'
import { eitherRule } from '@portico/contract/row-rules'
import type { CallerAccess, RequestParts } from '#platform/http/context.ts'
import { isAllowed, type Policy } from './granted-actions.ts'

/** The policies that one identity gives, and the contacts that it may see with them; null for all. */
export type Holding = { policies: readonly Policy[]; rowRule: Stages | null }

/** Matches no contact. */
const noContacts: Stages = [{ $match: { _id: { $exists: false } } }]

/**
 * The contacts that a caller may see with a request: those of each identity that grants it. One without a rule lets all
 * through (ADR 0086). Null for all.
 */
export function visibleRows(
  holdings: readonly Holding[],
  access: CallerAccess,
  request: RequestParts | null,
): Stages | null {
  const isGranting = ({ policies }: Holding): boolean => isAction(access) && isAllowed(policies, access, request)
  const granting = holdings.filter(isGranting)
  const counting = granting.length > 0 ? granting : holdings
  const rules = counting.flatMap(({ rowRule }) => rowRule ?? [])
  if (counting.length === 0) return noContacts
  if (counting.some(({ rowRule }) => rowRule === null)) return null
  return rules.length === 0 ? noContacts : eitherRule(counting.flatMap(({ rowRule }) => (rowRule ? [rowRule] : [])))
}

const isAction = (access: CallerAccess): access is Extract<CallerAccess, `${string}::${string}`> =>
  access.includes('::')

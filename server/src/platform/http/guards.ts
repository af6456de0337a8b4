import { isOpenAccess, type Route } from '@portico/contract/route'
import { AppError } from '#platform/app-error.ts'
import type { Context, RequestParts } from './context.ts'

/**
 * Throws the reason why this request may not use the route, or may not store what the route stores: 401 unless signed
 * in, 403 unless allowed. Before the request is read (null), conditions on it count as met.
 */
export function requireAccess(route: Route, context: Context, request: RequestParts | null): void {
  const { access, action } = route
  if (isOpenAccess(access)) return
  if (!context.caller) throw new AppError(context.refusal?.code ?? 'not_signed_in', undefined, context.refusal?.message)
  const { caller } = context
  const judged = route.isUnconditional ? 'any' : request
  const refusal = caller.refusal({ access, action }, judged) ?? caller.storingRefusal(route, request)
  if (refusal) throw new AppError(refusal.code, refusal.details, refusal.message)
}

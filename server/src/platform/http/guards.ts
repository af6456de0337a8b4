import { isOpenAccess, type Route } from '@portico/contract/route'
import type { FastifyRequest } from 'fastify'
import { AppError } from '#platform/app-error.ts'
import type { Context } from './context.ts'

/** Throws the reason why this request may not use the route: 401 unless signed in, 403 unless allowed. */
export function requireAccess({ access }: Route, request: FastifyRequest, context: Context): void {
  if (isOpenAccess(access)) return
  if (!context.caller) throw new AppError(context.refusal?.code ?? 'not_signed_in', undefined, context.refusal?.message)
  const { params, query, body } = request
  const refusal = context.caller.refusal(access, { params, query, body })
  if (refusal) throw new AppError(refusal.code, refusal.details, refusal.message)
}

/** Whether `requireAccess` would let the request through. */
export function mayAccess(route: Route, request: FastifyRequest, context: Context): boolean {
  try {
    requireAccess(route, request, context)
    return true
  } catch {
    return false
  }
}

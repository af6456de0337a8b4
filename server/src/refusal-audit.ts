import type { FastifyRequest } from 'fastify'
import type { RepeatedEntries } from '#audit'
import { accessKeyOf } from '#credentials'
import { AppError } from '#platform/app-error.ts'
import type { Context } from '#platform/http/context.ts'

/**
 * Refusals by rights and conditions. Others, such as a password that must be confirmed first, are intermediate steps.
 */
const refusals: readonly string[] = ['not_allowed', 'exceeds_rights', 'not_author', 'parent_filter']

/** Records a refused call in the log of its account: the caller, the call and the reason. */
export function recordRefusal(repeated: RepeatedEntries, error: unknown, request: FastifyRequest): void {
  // Null for calls from pages of other sites.
  const { caller = null, address = null } = (request.context as Context | null) ?? {}
  if (!caller || !(error instanceof AppError) || !refusals.includes(error.code)) return
  repeated.add({
    account: caller.account,
    actor: caller.email,
    address,
    via: caller.via,
    action: 'call refused',
    // The route, not the address, which may contain anything.
    subject: `${request.method} ${request.routeOptions.url ?? ''}`,
    details: { reason: error.message },
  })
}

/** Records a wrong, expired or otherwise refused API credential, but not tokens, which expire all the time. */
export function recordCredentialRefusal(
  repeated: RepeatedEntries,
  { refusal, address }: Pick<Context, 'refusal' | 'address'>,
  authorization: string | undefined,
): void {
  if (!refusal) return
  const accessKey = accessKeyOf(authorization)
  if (accessKey === null) return
  const via = { kind: 'credential' as const }
  const facts = { account: null, actor: accessKey, subject: accessKey, address, via }
  repeated.add({ ...facts, action: 'API credential refused', details: { reason: refusal.message } })
}

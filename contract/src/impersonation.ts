import { z } from 'zod'
import { isAddress } from './identities.ts'
import { messages } from './messages.ts'
import { Instant } from './jobs.ts'
import type { Route } from './route.ts'

export const impersonationHours = { min: 1, max: 48, default: 1 } as const

/** Added by the portal's form unless all permissions are chosen; used by other products, but not by this one. */
export const impersonationFlags = ['no-workflows', 'no-blueprints'] as const

const Address = z
  .string()
  .trim()
  .min(1, messages.required)
  .max(15, messages.invalid)
  .refine(isAddress, messages.invalid)

const ExpirySeconds = z.coerce
  .number()
  .int()
  .min(60)
  .max(impersonationHours.max * 3600)

/** A link that opens the portal with chosen permissions of its creator, for one address and a limited time. */
export const Impersonation = z.object({
  _id: z.string(),
  creator: z.string(),
  /** The only address from which it works. */
  ip: z.string(),
  /** Chosen names of policies and features; null for all of its creator's. */
  policies: z.array(z.string()).nullable(),
  createdAt: Instant,
  expiresAt: Instant,
  lastUsedAt: Instant.nullable(),
})
export type Impersonation = z.output<typeof Impersonation>

/** Formats names as a comma list. A comma within a name is written `%2C`, a percent sign `%25`. */
export const listOfNames = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')

/** Reads one entry of `listOfNames`. */
export const nameOfEntry = (entry: string): string => entry.replaceAll(/%2C/gi, ',').replaceAll('%25', '%')

// Browsers and proxies accept about 16 kB in an address.
const maxPolicyList = 12_000

const params = z.object({ ip: Address, expirySeconds: ExpirySeconds })
const reply = z.object({ token: z.string() })

export const impersonationApi = {
  impersonate: {
    method: 'GET',
    path: '/identity/v1/login/:ip/:expirySeconds',
    summary: 'Create an impersonation token with all rights of the caller, for one address and a limited time',
    access: 'administrator',
    action: 'identity::impersonations::post',
    stores: { what: 'access', does: 'make impersonation links' },
    params,
    reply,
    errors: ['not_allowed', 'limit_reached', 'password_needed'],
  },
  impersonateWithPolicies: {
    method: 'GET',
    path: '/identity/v1/login/:ip/:expirySeconds/:policies',
    summary:
      'Create an impersonation token with selected policies and features, comma-separated; %2C for a comma in a name',
    access: 'administrator',
    action: 'identity::impersonations::post',
    stores: { what: 'access', does: 'make impersonation links' },
    params: params.extend({ policies: z.string().min(1).max(maxPolicyList) }),
    reply,
    errors: ['not_allowed', 'limit_reached', 'password_needed'],
  },
  listImpersonations: {
    method: 'GET',
    path: '/identity/v1/impersonations',
    summary: 'List active impersonation links of the account, newest first',
    access: 'administrator',
    action: 'identity::impersonations::get',
    reply: z.array(Impersonation),
  },
  revokeImpersonation: {
    method: 'DELETE',
    path: '/identity/v1/impersonations/:id',
    summary: 'Revoke an impersonation link',
    access: 'administrator',
    action: 'identity::impersonations::delete',
    stores: false,
    params: z.object({ id: z.string() }),
    reply: z.null(),
    status: 204,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>

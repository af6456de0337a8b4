import { z } from 'zod'
import { Stages } from './filter.ts'
import type { Route } from './route.ts'

/** `conditions`: only for requests that meet the conditions of a policy. */
export const May = z.enum(['always', 'conditions', 'never'])
export type May = z.output<typeof May>

/** A policy that gives an action. */
const GivingPolicy = z.object({
  /** Its name. */
  policy: z.string(),
  /** The account of the identity that holds it; '*' for a global one. */
  aid: z.union([z.literal('*'), z.number()]),
  /** The groups through which it is held. */
  groups: z.array(z.string()),
  /** Its action that covers the one in question, and its conditions. Null if the caller may not read the policy. */
  text: z
    .object({ action: z.string(), conditions: z.array(z.string()), conditionLogic: z.enum(['and', 'or']) })
    .nullable(),
})
export type GivingPolicy = z.output<typeof GivingPolicy>

/** What a person or a service identity may do in an account when the days, hours and networks of their identities allow it. */
export const EffectiveRights = z.object({
  email: z.string(),
  account: z.number(),
  isPowerAdmin: z.boolean(),
  isPowerUser: z.boolean(),
  /** The person also has a global identity. Only power admins see what it gives, which is not included here. */
  hasHiddenPolicies: z.boolean(),
  identities: z.array(
    z.object({
      aid: z.union([z.literal('*'), z.number()]),
      /** In words, why the identity gives nothing here; null if it gives what its policies hold. */
      refusal: z.string().nullable(),
      /** Its days, hours and network in words; empty if it has none. */
      limits: z.array(z.string()),
      /** The contacts that it may see; null for all. */
      rowRule: Stages.nullable(),
    }),
  ),
  /** One for each action that a call or a feature needs, with all policies that give it. */
  rights: z.array(z.object({ action: z.string(), may: May, by: z.array(GivingPolicy) })),
})
export type EffectiveRights = z.output<typeof EffectiveRights>

export const rightsApi = {
  /** Texts of policies are included for callers who may read policies. */
  getRights: {
    method: 'GET',
    path: '/identity/v1/rights',
    summary: 'List what a person may do in the account, and which policies give it',
    access: 'administrator',
    action: 'identity::identities::get',
    query: z.strictObject({
      email: z.string().min(1).describe('Of a person, or the name of a service identity as in the audit log.'),
    }),
    reply: EffectiveRights,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>

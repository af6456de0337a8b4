import { z } from 'zod'
import { Stages } from './filter.ts'
import { NewPolicy } from './policies.ts'
import { findAction } from './rights/action-words.ts'
import type { Route } from './route.ts'

/** By the identities that count in the account. */
const AccountRole = z.enum(['power-admin', 'power-user', 'member'])
export type AccountRole = z.output<typeof AccountRole>

/** `conditions`: only for requests that meet the conditions of a policy. */
export const May = z.enum(['always', 'conditions', 'never'])
export type May = z.output<typeof May>

/** A policy as an identity holds it. A reply names each once, however many actions and people it is about. */
const HeldPolicyInWords = z.object({
  /** Its name. */
  policy: z.string(),
  /** The account of the identity that holds it; '*' for a global one. */
  aid: z.union([z.literal('*'), z.number()]),
  /** The groups through which it is held. */
  groups: z.array(z.string()),
  /** Its conditions. Null if the caller may not read the policy. */
  text: z.object({ conditions: z.array(z.string()), conditionLogic: z.enum(['and', 'or']) }).nullable(),
})
export type HeldPolicyInWords = z.output<typeof HeldPolicyInWords>

/** A policy that gives an action. */
const Giver = z.object({
  /** Its place in `policies` of the reply. */
  policy: z.int(),
  /** Its action that covers the one in question. Null if the caller may not read the policy. */
  action: z.string().nullable(),
})
export type Giver = z.output<typeof Giver>

const IdentityInWords = z.object({
  aid: z.union([z.literal('*'), z.number()]),
  /** In words, why the identity gives nothing here; null if it gives what its policies hold. */
  refusal: z.string().nullable(),
  /** Its days, hours and network in words; empty if it has none. */
  limits: z.array(z.string()),
  /** The contacts that it may see; null for all. */
  rowRule: Stages.nullable(),
})

/** All that a person or a service identity may do in an account when the days, hours and networks of their identities allow it. */
export const EffectiveRights = z.object({
  email: z.string(),
  account: z.number(),
  role: AccountRole,
  /**
   * The person also has a global identity, or one of the parent account. Only power admins see what they give, which is
   * not included here.
   */
  hasHiddenPolicies: z.boolean(),
  identities: z.array(IdentityInWords),
  /** One for each action that a call or a feature needs, with all policies that give it. */
  rights: z.array(z.object({ action: z.string(), may: May, by: z.array(Giver) })),
  policies: z.array(HeldPolicyInWords),
})
export type EffectiveRights = z.output<typeof EffectiveRights>

/** A person or a service identity that may do something in the account, with all policies that give it. */
export const RightHolder = z.object({
  email: z.string(),
  userName: z.string().nullable(),
  kind: z.enum(['person', 'service']),
  may: May.exclude(['never']),
  role: AccountRole,
  /** The identities that count. */
  identities: z.array(IdentityInWords),
  by: z.array(Giver),
})
export type RightHolder = z.output<typeof RightHolder>

export const RightHolders = z.object({ holders: z.array(RightHolder), policies: z.array(HeldPolicyInWords) })
export type RightHolders = z.output<typeof RightHolders>

/** The most people that an effect of a policy names. */
export const namedInEffect = 100

/** People and service identities for whom a change of a policy has the same effect. */
export const PolicyEffect = z.object({
  role: z.object({ before: AccountRole, after: AccountRole }),
  /**
   * Actions with another right afterwards. Both are `conditions` where other conditions apply; whether these let more
   * or fewer requests pass is not decided.
   */
  changes: z.array(z.object({ action: z.string(), before: May, after: May })),
  count: z.int(),
  /** The first hundred, those of the caller's account first, then by account and email. */
  holders: z.array(
    RightHolder.pick({ email: true, userName: true, kind: true }).extend({
      /** The account in which the rights change. */
      account: z.number(),
    }),
  ),
})
export type PolicyEffect = z.output<typeof PolicyEffect>

// Unconditional: they show more of people than their requests name.
export const rightsApi = {
  /** Texts of policies are included for callers who may read policies. */
  getRights: {
    method: 'GET',
    path: '/identity/v1/rights',
    summary: 'List what a person may do in the account, and which policies give it',
    access: 'administrator',
    action: 'identity::identities::get',
    isUnconditional: true,
    query: z.strictObject({
      email: z.string().min(1).describe('Of a person, or the name of a service identity as in the audit log.'),
    }),
    reply: EffectiveRights,
    errors: ['not_found'],
  },
  /**
   * Lists identities that the caller sees in the list of identities; for power admins, also those of the parent account with
   * access to all sub-accounts.
   */
  listRightHolders: {
    method: 'GET',
    path: '/identity/v1/rights/holders',
    summary: 'List who may do something in the account, by email, and which policies give it',
    access: 'administrator',
    action: 'identity::identities::get',
    isUnconditional: true,
    query: z.strictObject({
      action: z
        .string()
        .refine((action) => findAction(action) !== null, 'Use an action that a call needs, without *.')
        .describe('`microservice::resource::method`, in any letter case, without `*`.'),
    }),
    reply: RightHolders,
  },
  /**
   * Includes the people of all accounts in which the policy is held. Those whose rights stay as they are, and those who
   * have not accepted their invitation, are left out.
   */
  previewPolicyEffects: {
    method: 'POST',
    path: '/identity/v1/policies/:id/effects',
    summary: 'List who would gain or lose rights by a change of a policy, without changing it',
    access: 'power-admin',
    action: 'identity::identities::get',
    isUnconditional: true,
    stores: false,
    params: z.object({ id: z.string() }),
    body: NewPolicy.pick({ actions: true, conditions: true, conditionLogic: true }),
    reply: z.array(PolicyEffect),
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>

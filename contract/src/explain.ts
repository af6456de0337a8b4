import { z } from 'zod'
import { Stages } from './filter.ts'
import { jsonText } from './list-query.ts'
import { Instant } from './jobs.ts'
import type { Route } from './route.ts'

/** One limit of an identity, and whether it lets the request through. */
const LimitCheck = z.object({
  limit: z.enum(['account', 'identity', 'twoFactor', 'days', 'hours', 'cidr']),
  /** In words: `Monday to Friday`, `not 22:00 to 06:00 (Europe/Zurich)`, `10.0.0.0/8`. */
  rule: z.string(),
  isMet: z.boolean(),
})

/** The outcome of one policy for the action. */
const PolicyCheck = z.object({
  policy: z.string(),
  /** The groups through which it is held. */
  groups: z.array(z.string()),
  /** `grants`: it allows the action; `action`: none of its actions matches; `condition`: its conditions are not met. */
  outcome: z.enum(['grants', 'action', 'condition']),
  /** The held action that matches, if one does. */
  action: z.string().nullable(),
  conditionLogic: z.enum(['and', 'or']),
  /** Evaluated only if an action matches. */
  conditions: z.array(
    z.object({
      condition: z.string(),
      isMet: z.boolean(),
      /** The value, or the element of a list, that caused the failure; null if there is none. */
      failed: z.string().nullable(),
    }),
  ),
})

/** The decision on a request, and its reasons. */
export const Explanation = z.object({
  email: z.string(),
  account: z.number(),
  action: z.string(),
  /** Features that require this action. */
  features: z.array(z.string()),
  isAllowed: z.boolean(),
  /** One sentence that names the policy, action, condition or limit that decided. */
  reason: z.string(),
  /** The contacts that the person may see with the request; null for all, and if it is refused. */
  rows: Stages.nullable(),
  /** Time and address used for the evaluation. */
  at: Instant,
  address: z.string(),
  /**
   * The person also has a global identity, or one of the parent account. Only power admins see their policies, which are
   * not evaluated here.
   */
  hasHiddenPolicies: z.boolean(),
  /**
   * One entry per identity that gives access to the account: the person's own, one of the parent account, a global one.
   */
  identities: z.array(
    z.object({
      aid: z.union([z.literal('*'), z.number()]),
      counts: z.boolean(),
      limits: z.array(LimitCheck),
      /** The contacts that it may see; null for all. */
      rowRule: Stages.nullable(),
      policies: z.array(PolicyCheck),
    }),
  ),
})
export type Explanation = z.output<typeof Explanation>

const Part = jsonText(z.record(z.string(), z.unknown()))

export const explainApi = {
  explain: {
    method: 'GET',
    path: '/identity/v1/explain',
    summary: 'Explain whether a person is allowed an action in the account, and why',
    access: 'administrator',
    action: 'identity::identities::get',
    query: z.strictObject({
      email: z.string().min(1).describe('Of a person, or the name of a service identity as in the audit log.'),
      action: z.string().regex(/^[\w-]+::[\w-]+::[\w-]+$/, 'Use microservice::resource::method.'),
      params: jsonText(z.array(z.string()))
        .optional()
        .describe(
          'Path parameters of the request, in order, as JSON. The parts are read like those of a call, but without its defaults.',
        ),
      query: Part.optional().describe('Query of the request as JSON.'),
      body: jsonText(z.unknown()).optional().describe('Body of the request as JSON.'),
      at: Instant.optional().describe('The moment to judge; now unless given.'),
      address: z.union([z.ipv4(), z.ipv6()]).optional().describe("The address to judge; the caller's unless given."),
    }),
    reply: Explanation,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>

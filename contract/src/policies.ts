import { z } from 'zod'
import { messages } from './messages.ts'
import { foldText } from '@portico/domain/names'
import type { Route } from './route.ts'
import { Version, versionOfChange } from './versions.ts'

/** Services, their resources and the methods that policies can name (specification 2 §9). `*` matches all. */
export const actionCatalogue = {
  bi: ['dashboards', 'downloads', 'reports'],
  'contact-service': [
    'downloads',
    'exports',
    'fields',
    'imports',
    'indexes',
    'offers',
    'rdls',
    'remoteAccess',
    'uploads',
  ],
  scheduler: ['crons', 'schedules'],
} as const
export const methods = ['get', 'post', 'put', 'delete', '*'] as const

export const conditionOptions = ['body', 'param', 'query'] as const
export type ConditionOption = (typeof conditionOptions)[number]

/**
 * Equals, contains, starts with, ends with and their opposites, in and not in a comma list, a regular expression (RE2's
 * syntax; the server alone can read it).
 */
export const conditionOperators = ['ct', 'ew', 'eq', 'in', 'nct', 'new', 'neq', 'nin', 'nsw', 'regex', 'sw'] as const
export type ConditionOperator = (typeof conditionOperators)[number]

export type Condition = { option: ConditionOption; key: string; operator: ConditionOperator; value: string }

const positiveOperators: readonly ConditionOperator[] = ['ct', 'ew', 'eq', 'in', 'regex', 'sw']

/** Names under which requests carry stages of the filter language. A `filter` is that of bulk deletes. */
const stageKeys: Record<ConditionOption, RegExp> = {
  query: /^(find|aggregate)$/i,
  body: /^(((instruction\.)?aggregateQuery|(definition\.layout\.)?chart\.filter2?)(\..*)?|instruction|definition(\.layout(\.chart)?)?|chart)$/i,
  param: /^$/,
}

/**
 * Why a condition cannot do what it seems to do, in words for users; null for others. One that asks a filter to contain
 * something restricts no contacts: a filter can contain it and find others as well (ADR 0085).
 */
export function conditionProblem(text: string, actions: readonly string[]): string | null {
  const condition = parseCondition(text)
  if (!condition || !positiveOperators.includes(condition.operator)) return null
  const { option, key } = condition
  const isDelete = actions.some((action) => /^(\*|contact-service)::(\*|offers)::(\*|delete)$/i.test(action))
  const isStages = stageKeys[option].test(key) || (option === 'body' && isDelete && /^filter(\..*)?$/i.test(key))
  return isStages ? messages.cannotChooseContacts : null
}

/** Takes `option::key::operator::value` apart; the value may hold `::` itself. Null when it is none. */
export function parseCondition(text: string): Condition | null {
  const [option, key, operator, ...rest] = text.split('::')
  const value = rest.join('::')
  const isOption = conditionOptions.some((known) => known === option)
  const isOperator = conditionOperators.some((known) => known === operator)
  if (!isOption || !isOperator || !key || value === '') return null
  // Both were just found in their lists.
  return { option: option as ConditionOption, key, operator: operator as ConditionOperator, value }
}

export const formatCondition = ({ option, key, operator, value }: Condition): string =>
  [option, key, operator, value].join('::')

/** True for a service, one of its resources and a method of the catalogue, in any letter case; `*` matches all. */
function isInCatalogue(action: string): boolean {
  const [service = '', resource = '', method = '', ...rest] = action.toLowerCase().split('::')
  const resources = Object.entries(actionCatalogue).flatMap(([name, each]) =>
    service === '*' || service === name ? each.map((known) => known.toLowerCase()) : [],
  )
  const hasResource = resource === '*' ? resources.length > 0 : resources.includes(resource)
  return rest.length === 0 && hasResource && methods.some((known) => known === method)
}

/** Each text once, whatever its letter case; says at which position it stood first. */
function refuseRepeated(message: (position: number) => string) {
  return (texts: readonly string[], context: z.RefinementCtx): void => {
    const seen = new Map<string, number>()
    texts.forEach((text, index) => {
      const first = seen.get(foldText(text))
      if (first === undefined) seen.set(foldText(text), index)
      else context.addIssue({ code: 'custom', message: message(first + 1), path: [index] })
    })
  }
}

/** Name of a policy or a group: 5 to 50 characters. */
export const AccessName = z.string().trim().min(1, messages.required).min(5, messages.min5).max(50, messages.max50)

const PolicyAction = z.string().trim().refine(isInCatalogue, messages.invalid)

const PolicyCondition = z
  .string()
  .max(2000, messages.invalid)
  .superRefine((text, context) => {
    const condition = parseCondition(text)
    const isPosition = condition?.option !== 'param' || /^\d{1,2}$/.test(condition.key)
    if (!condition || !isPosition) context.addIssue({ code: 'custom', message: messages.invalid })
  })

/** '*' is everywhere; a number is the account whose sub-accounts, and itself, know the item. */
export const Owner = z.union([z.literal('*'), z.coerce.number().int().positive().max(2_147_483_647)])
export type Owner = z.output<typeof Owner>

export const NewPolicy = z.strictObject({
  name: AccessName,
  isAdmin: z.boolean().default(false),
  actions: z
    .array(PolicyAction)
    .min(1, messages.addAction)
    .max(200)
    .superRefine(refuseRepeated(messages.duplicateAction)),
  conditions: z.array(PolicyCondition).max(100).default([]).superRefine(refuseRepeated(messages.duplicateCondition)),
  conditionLogic: z.enum(['and', 'or']).default('and'),
  /** Older clients send '*'. */
  ownerPaid: Owner.optional(),
})
export type NewPolicy = z.input<typeof NewPolicy>

export const ChangedPolicy = NewPolicy.extend(versionOfChange)
export type ChangedPolicy = z.input<typeof ChangedPolicy>

export const Policy = z.object({
  _id: z.string(),
  version: Version,
  name: z.string(),
  isAdmin: z.boolean(),
  actions: z.array(z.string()),
  conditions: z.array(z.string()),
  conditionLogic: z.enum(['and', 'or']),
  ownerPaid: Owner,
  /** Whether no group holds it and the caller may. */
  canBeDeleted: z.boolean(),
  /** Names of the groups that hold it, by name; as far as the caller sees them. */
  groups: z.array(z.string()),
})
export type Policy = z.output<typeof Policy>

export const NewGroup = z.strictObject({
  name: AccessName,
  isAdmin: z.boolean().default(false),
  /** Ids of policies whose `isAdmin` is the group's. */
  policies: z.array(z.string()).min(1, messages.required).max(500),
  ownerPaid: Owner.optional(),
})
export type NewGroup = z.input<typeof NewGroup>

export const ChangedGroup = NewGroup.extend(versionOfChange)
export type ChangedGroup = z.input<typeof ChangedGroup>

export const Group = z.object({
  _id: z.string(),
  version: Version,
  name: z.string(),
  isAdmin: z.boolean(),
  policies: z.array(Policy.pick({ _id: true, name: true, isAdmin: true })),
  ownerPaid: Owner,
  /** Whether no identity belongs to it and the caller may; never for the group `everyone`. */
  canBeDeleted: z.boolean(),
})
export type Group = z.output<typeof Group>

/** The group that every identity belongs to without being assigned. */
export const everyone = 'everyone'

const params = z.object({ id: z.string() })
/** Sent by older clients; only power admins see admin items anyway. */
const query = z.object({ isAdmin: z.enum(['true', 'false']).optional() })

export const policiesApi = {
  listPolicies: {
    method: 'GET',
    path: '/identity/v1/policies',
    summary: 'List the policies the caller may see, by name',
    access: 'administrator',
    action: 'identity::policies::get',
    query,
    reply: z.array(Policy),
  },
  getPolicy: {
    method: 'GET',
    path: '/identity/v1/policies/:id',
    summary: 'Get a policy that the caller may see',
    access: 'administrator',
    action: 'identity::policies::get',
    params,
    reply: Policy,
    errors: ['not_found'],
  },
  createPolicy: {
    method: 'POST',
    path: '/identity/v1/policies',
    summary: 'Create a policy',
    access: 'power-admin',
    action: 'identity::policies::post',
    stores: false,
    body: NewPolicy,
    reply: Policy,
    status: 201,
    errors: ['name_taken', 'limit_reached'],
  },
  updatePolicy: {
    method: 'PUT',
    path: '/identity/v1/policies/:id',
    summary: 'Change a policy, effective immediately for everyone who has it',
    access: 'power-admin',
    action: 'identity::policies::put',
    stores: { what: 'access', does: 'change policies' },
    params,
    body: ChangedPolicy,
    reply: Policy,
    errors: ['not_found', 'name_taken', 'newer_version', 'password_needed'],
  },
  deletePolicy: {
    method: 'DELETE',
    path: '/identity/v1/policies/:id',
    summary: 'Delete a policy that no group uses',
    access: 'power-admin',
    action: 'identity::policies::delete',
    stores: false,
    params,
    reply: z.null(),
    status: 204,
    errors: ['not_found', 'in_use'],
  },
  listGroups: {
    method: 'GET',
    path: '/identity/v1/groups',
    summary: 'List the groups the caller may see, by name',
    access: 'administrator',
    action: 'identity::groups::get',
    query,
    reply: z.array(Group),
  },
  getGroup: {
    method: 'GET',
    path: '/identity/v1/groups/:id',
    summary: 'Get a group that the caller may see',
    access: 'administrator',
    action: 'identity::groups::get',
    params,
    reply: Group,
    errors: ['not_found'],
  },
  createGroup: {
    method: 'POST',
    path: '/identity/v1/groups',
    summary: 'Create a group',
    access: 'power-admin',
    action: 'identity::groups::post',
    stores: false,
    body: NewGroup,
    reply: Group,
    status: 201,
    errors: ['name_taken', 'limit_reached'],
  },
  updateGroup: {
    method: 'PUT',
    path: '/identity/v1/groups/:id',
    summary: 'Change a group, effective immediately for everyone in it',
    access: 'power-admin',
    action: 'identity::groups::put',
    stores: { what: 'access', does: 'change groups' },
    params,
    body: ChangedGroup,
    reply: Group,
    errors: ['not_found', 'name_taken', 'newer_version', 'password_needed'],
  },
  deleteGroup: {
    method: 'DELETE',
    path: '/identity/v1/groups/:id',
    summary: 'Delete a group without identities',
    access: 'power-admin',
    action: 'identity::groups::delete',
    stores: false,
    params,
    reply: z.null(),
    status: 204,
    errors: ['not_found', 'in_use'],
  },
} as const satisfies Record<string, Route>

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
 * syntax; only the server can check it).
 */
export const conditionOperators = ['ct', 'ew', 'eq', 'in', 'nct', 'new', 'neq', 'nin', 'nsw', 'regex', 'sw'] as const
export type ConditionOperator = (typeof conditionOperators)[number]

export type Condition = { option: ConditionOption; key: string; operator: ConditionOperator; value: string }

const positiveOperators: readonly ConditionOperator[] = ['ct', 'ew', 'eq', 'in', 'regex', 'sw']

/** Names of request parts that contain stages of the filter language. `filter` is that of bulk deletes. */
const stageKeys: Record<ConditionOption, RegExp> = {
  query: /^(find|aggregate)$/i,
  body: /^(((instruction\.)?aggregateQuery|(definition\.layout\.)?chart\.filter2?)(\..*)?|instruction|definition(\.layout(\.chart)?)?|chart)$/i,
  param: /^$/,
}

/**
 * Returns why a condition cannot have the effect that it suggests, in words for users; null if it can. A condition that
 * a filter contains something does not restrict contacts: a filter can contain it and also find others (ADR 0085).
 */
export function conditionProblem(text: string, actions: readonly string[]): string | null {
  const condition = parseCondition(text)
  if (!condition || !positiveOperators.includes(condition.operator)) return null
  const { option, key } = condition
  const isDelete = actions.some((action) => /^(\*|contact-service)::(\*|offers)::(\*|delete)$/i.test(action))
  const isStages = stageKeys[option].test(key) || (option === 'body' && isDelete && /^filter(\..*)?$/i.test(key))
  return isStages ? messages.cannotChooseContacts : null
}

/** Splits `option::key::operator::value`; the value may contain `::` itself. Null if the text is not a condition. */
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

/** True for a service, one of its resources and a method of the catalog, in any letter case; `*` matches all. */
function isInCatalogue(action: string): boolean {
  const [service = '', resource = '', method = '', ...rest] = action.toLowerCase().split('::')
  const resources = Object.entries(actionCatalogue).flatMap(([name, each]) =>
    service === '*' || service === name ? each.map((known) => known.toLowerCase()) : [],
  )
  const hasResource = resource === '*' ? resources.length > 0 : resources.includes(resource)
  return rest.length === 0 && hasResource && methods.some((known) => known === method)
}

/** Accepts each text once, in any letter case; the message gives the position where it first occurred. */
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

/** '*' is global; a number is the account in which, and in whose sub-accounts, the item is known. */
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
  /** True if no group holds it and the caller may delete it. */
  canBeDeleted: z.boolean(),
  /** Names of the groups that hold it, sorted, as far as the caller may see them. */
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
  /** True if no identity belongs to it and the caller may delete it; never for the group `everyone`. */
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

import { checkInput } from '@portico/contract/check-input'
import {
  AccessName,
  type Condition,
  conditionProblem,
  conditionOptions,
  type ConditionOperator,
  conditionOperators,
  formatCondition,
  NewPolicy,
  parseCondition,
  type Policy,
} from '@portico/contract/policies'
import { type ActionParts, joinAction } from '#domain/access'
import { messages } from '@portico/contract/messages'
import { foldName, foldText } from '@portico/domain/names'
import { z } from 'zod'

export type PolicyValues = {
  name: string
  isAdmin: boolean
  actions: string[]
  conditions: string[]
  conditionLogic: 'and' | 'or'
}

/** A new policy, or a copy of another without its name. */
export const policyValues = (from: Policy | null): PolicyValues => ({
  name: from?.name ?? '',
  isAdmin: from?.isAdmin ?? false,
  actions: from?.actions ?? [],
  conditions: from?.conditions ?? [],
  conditionLogic: from?.conditionLogic ?? 'and',
})

/** Schema of the form. `taken` holds the folded names of the other policies. */
export const policySchema = (taken: ReadonlySet<string>) =>
  NewPolicy.extend({ name: AccessName.refine((name) => !taken.has(foldName(name)), messages.duplicatePolicy) })

/**
 * The position of a text in a list, ignoring case, counted from 1; null if absent. `except` is the index of the entry
 * being edited.
 */
function positionOf(text: string, texts: readonly string[], except: number | null): number | null {
  const index = texts.findIndex((one, at) => at !== except && foldText(one) === foldText(text))
  return index === -1 ? null : index + 1
}

/** Problems by part of an action; empty if it can be added. */
export function actionProblems(
  parts: ActionParts,
  actions: readonly string[],
  except: number | null,
): Partial<ActionParts> {
  const missing = (Object.keys(parts) as (keyof ActionParts)[]).filter((part) => parts[part] === '')
  if (missing.length > 0) return Object.fromEntries(missing.map((part) => [part, messages.required]))
  const position = positionOf(joinAction(parts), actions, except)
  return position === null ? {} : { microservice: messages.duplicateAction(position) }
}

export type ConditionParts = Record<keyof Condition, string>

export const emptyCondition: ConditionParts = { option: '', key: '', operator: '', value: '' }

/** Conditions from older clients may not parse; they are shown unchanged, and replaced when edited. */
export const splitCondition = (condition: string): ConditionParts => parseCondition(condition) ?? emptyCondition

const ConditionForm = z.object({
  option: z.enum(conditionOptions, messages.required),
  key: z.string().trim().min(1, messages.required),
  operator: z.enum(conditionOperators, messages.required),
  value: z.string().min(1, messages.required),
})

/** The condition as text, or the problems of its parts. */
export function checkCondition(
  parts: ConditionParts,
  conditions: readonly string[],
  except: number | null,
): { text: string } | { problems: Partial<ConditionParts> } {
  const parsed = checkInput(ConditionForm, parts)
  if (!parsed.success) {
    return { problems: Object.fromEntries(parsed.error.issues.map(({ path, message }) => [path[0], message])) }
  }
  const text = formatCondition(parsed.data)
  const position = positionOf(text, conditions, except)
  if (position !== null) return { problems: { option: messages.duplicateCondition(position) } }
  // The contract validates the positions of parameters, and the length of a condition.
  const { success } = NewPolicy.shape.conditions.safeParse([text])
  const unfit = conditionProblem(text, [])
  if (unfit !== null) return { problems: { operator: unfit } }
  if (success) return { text }
  return { problems: parsed.data.option === 'param' ? { key: messages.invalid } : { value: messages.invalid } }
}

const negativeOperators: readonly string[] = ['neq', 'nct', 'nsw', 'new', 'nin'] satisfies ConditionOperator[]

/** A hint about a condition's value, depending on its other parts; null if there is none. */
export function valueNote({ option, operator, value }: ConditionParts): string | null {
  if (operator === 'regex') return 'RE2 syntax: no lookaround or backreferences.'
  // Numbers are compared as numbers, so each must have only one notation.
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value))
  if (option === '' || !negativeOperators.includes(operator) || isNumber) return null
  return 'Text can be worded in many ways, and a missing value is allowed too. List allowed values instead, with "eq" or "in".'
}

/** The initial key of a new path parameter condition: the next integer, from 0. */
export const nextParamKey = (conditions: readonly string[]): string => String(conditions.filter(isParam).length)

/** Renumbers path parameters from 0, in order. */
export function renumberParams(conditions: readonly string[]): string[] {
  let next = 0
  return conditions.map((text) => {
    const condition = parseCondition(text)
    if (condition?.option !== 'param') return text
    return formatCondition({ ...condition, key: String(next++) })
  })
}

export const isParam = (condition: string): boolean => parseCondition(condition)?.option === 'param'

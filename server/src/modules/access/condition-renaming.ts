import { api } from '@portico/contract/api'
import { type FieldNameForm, fieldNameParts } from '@portico/contract/field-name-parts'
import { type Condition, type ConditionOption, formatCondition, parseCondition } from '@portico/contract/policies'
import type { Route } from '@portico/contract/route'
import { foldText, isSameName } from '@portico/domain/names'
import type { FieldRename } from '@portico/domain/pipeline/rename-field'
import { unusedName } from '#platform/rows/field-uses.ts'
import { type FieldNamePart, sampleOf } from './condition-samples.ts'
import { judgeCondition } from './evaluator/condition.ts'
import { isAllowed } from './evaluator/granted-actions.ts'

/**
 * A condition with the new name of a field. `namesField`: it means the field. `isClear`: the new text judges the new
 * name as the old text judged the old name, and every part of it certainly does or does not mean the field.
 */
export type RenamedCondition = { text: string; namesField: boolean; isClear: boolean }

/** The request parts that name fields in calls to which these actions apply. */
export function partsNamingFields(actions: readonly string[]): FieldNamePart[] {
  const policy = { name: '', actions, conditions: [], conditionLogic: 'and' } as const
  const calls = Object.entries(api) as [keyof typeof api, Route][]
  const parts = calls.flatMap(([call, { access, action }]) => {
    const needed = action ?? access
    const isMeant = needed.includes('::') && isAllowed([policy], needed as `${string}::${string}::${string}`, null)
    return Object.entries((isMeant && fieldNameParts[call]) || {}).flatMap(([option, paths]) =>
      Object.entries(paths).map(([path, form]) => ({ option: option as ConditionOption, path, form })),
    )
  })
  return [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()]
}

/** Writes the new name where a condition means the field, in the parts of its policy's requests that name fields. */
export function renameInCondition(
  text: string,
  parts: readonly FieldNamePart[],
  rename: FieldRename,
): RenamedCondition {
  const condition = parseCondition(text)
  if (!condition) return { text, namesField: false, isClear: true }
  const near = parts.filter((part) => part.option === condition.option && placeOf(condition, part) !== null)
  const path = renameInPath(condition, near, rename)
  const value = renameInValue(condition, near, rename)
  const renamed = formatCondition({ ...condition, key: path.text, value: value.text })
  const namesField = path.namesField || value.namesField
  const judgesAlike = near.every((part) => {
    const before = judgeCondition(text, sampleOf(condition, part, rename.from)).isMet
    const after = { ...condition, key: path.text, value: value.text }
    return before === judgeCondition(renamed, sampleOf(after, part, rename.to)).isMet
  })
  return { text: renamed, namesField, isClear: path.isClear && value.isClear && judgesAlike }
}

/** Returns those of the names, which are folded, that a condition means (`namesField`). */
export function fieldsNamedIn(text: string, parts: readonly FieldNamePart[], names: readonly string[]): string[] {
  const condition = parseCondition(text)
  if (!condition) return []
  const near = parts.filter((part) => part.option === condition.option && placeOf(condition, part) !== null)
  if (near.length === 0) return []
  const [written, plain] = [foldText(text), foldText(text.replaceAll('\\', ''))]
  return names.filter((from) => {
    if (!written.includes(from) && !plain.includes(from)) return false
    const rename = { from, to: unusedName }
    return renameInPath(condition, near, rename).namesField || renameInValue(condition, near, rename).namesField
  })
}

const stageNames = ['find', 'aggregate']

/** Where the key of a condition points: to the part itself, above it, or to keys within it. Null for elsewhere. */
export function placeOf({ option, key }: Condition, { path }: FieldNamePart): { rest: string[] } | 'above' | null {
  if (option !== 'body') {
    const isStages = stageNames.includes(key) && stageNames.includes(path)
    return key === path || isStages ? { rest: [] } : null
  }
  const [keys, parts] = [key.split('.'), path.split('.')]
  const length = Math.min(keys.length, parts.length)
  const isNear = parts.slice(0, length).every((part, at) => part === '*' || isSameName(part, keys[at] ?? ''))
  if (!isNear) return null
  if (keys.length < parts.length) return 'above'
  // Any key may itself contain dots.
  return { rest: path.endsWith('.*') ? [] : keys.slice(parts.length) }
}

type Followed = { text: string; namesField: boolean; isClear: boolean }

function renameInPath(condition: Condition, parts: readonly FieldNamePart[], { from, to }: FieldRename): Followed {
  const same = { text: condition.key, namesField: false, isClear: true }
  if (condition.option !== 'body') return same
  const isChanged = !isSameName(from, to)
  const keys = condition.key.split('.')
  let followed: Followed = same
  for (const part of parts) {
    const place = placeOf(condition, part)
    if (place === null || place === 'above') continue
    const start = keys.length - place.rest.length
    for (const { at, end, isSure } of namesIn(place.rest, part.form)) {
      const name = place.rest.slice(at, end).join('.')
      if (isChanged && isSameName(name, to)) followed = { ...followed, isClear: false }
      if (!isSameName(name, from)) continue
      const path = [...keys.slice(0, start + at), to, ...keys.slice(start + end)].join('.')
      // Two readings of one path cannot both be renamed.
      const isOther = followed.namesField && followed.text !== path
      followed = { text: path, namesField: true, isClear: followed.isClear && isSure && !isOther }
    }
  }
  return followed
}

/**
 * The field names among the keys below a part; names may themselves contain dots. `isSure`: they cannot mean anything
 * else.
 */
function namesIn(rest: readonly string[], form: FieldNameForm): { at: number; end: number; isSure: boolean }[] {
  if (rest.length === 0) return []
  const whole = { at: 0, end: rest.length, isSure: true }
  switch (form) {
    case 'keys':
      return [whole]
    case 'edits': {
      const isInner = rest.length > 1 && ['from', 'to'].some((inner) => isSameName(inner, rest.at(-1) ?? ''))
      return isInner ? [{ ...whole, end: rest.length - 1 }, whole] : [whole]
    }
    case 'headers':
      return rest.map((_, at) => ({ at: 0, end: at + 1, isSure: false }))
    case 'stages':
      return runsOf(rest).flatMap(({ at, end, after }) => {
        if (after === '$elemMatch') return []
        if (choosing.includes(after)) return [{ at, end, isSure: true }]
        return partsOfRun(at, end)
      })
    case 'list':
    case 'name':
    case 'text':
      return []
  }
}

/** Operators after which the path of a condition names a field. Below others it may be a column. */
const choosing = ['$match', '$and', '$or', '$nor', '$sort']

/** Sequences of keys between operators, each with the operator before it. */
function runsOf(keys: readonly string[]): { at: number; end: number; after: string }[] {
  const starts = keys.flatMap((key, at) =>
    key.startsWith('$') || (at > 0 && !keys[at - 1]?.startsWith('$')) ? [] : [at],
  )
  return starts.map((at) => {
    const next = keys.findIndex((key, index) => index > at && key.startsWith('$'))
    return { at, end: next === -1 ? keys.length : next, after: keys[at - 1] ?? '' }
  })
}

const partsOfRun = (start: number, last: number): { at: number; end: number; isSure: boolean }[] =>
  Array.from({ length: last - start }, (_, from) =>
    Array.from({ length: last - start - from }, (_each, to) => ({
      at: start + from,
      end: start + from + to + 1,
      isSure: false,
    })),
  ).flat()

/** The forms of the values that a condition compares: single names, lists of names, or texts that contain names. */
function formsOfValue(condition: Condition, parts: readonly FieldNamePart[]): Set<'list' | 'name' | 'text'> {
  const forms = parts.flatMap((part): ('list' | 'name' | 'text')[] => {
    const place = placeOf(condition, part)
    if (place === null) return []
    if (place === 'above') return ['text']
    if (part.form === 'name' || part.form === 'list') return [part.form]
    if (place.rest.length === 0) return ['text']
    // Values of contacts are not names.
    const isValue = part.form !== 'stages' || choosing.includes(runsOf(place.rest).at(-1)?.after ?? '')
    return isValue ? [] : ['text']
  })
  return new Set(forms)
}

function renameInValue(condition: Condition, parts: readonly FieldNamePart[], { from, to }: FieldRename): Followed {
  const { operator, value } = condition
  const forms = formsOfValue(condition, parts)
  const same = { text: value, namesField: false, isClear: true }
  if (forms.size === 0) return same
  const isOfOne = operator === 'eq' || operator === 'neq'
  const isOfNames = isOfOne || operator === 'in' || operator === 'nin'
  const mentions = (name: string): boolean => mentionsName(condition, name)
  if (isOfNames && !forms.has('text')) {
    const items = isOfOne ? [value] : value.split(',')
    const named = items.map((item) => (isSameName(item, from) ? to : item))
    if (named.join() !== items.join()) {
      // A name with a comma or surrounding white space is not an item of a list.
      return { text: named.join(), namesField: true, isClear: isOfOne || !to.includes(',') }
    }
    // In a text that lists names, the condition can mean a whole name.
    return forms.has('list') && mentions(from) ? { text: value, namesField: true, isClear: false } : same
  }
  const isMeant = mentions(from)
  const isChanged = !isSameName(from, to)
  const isOfPart = forms.has('text') || forms.has('list')
  return { text: value, namesField: isMeant, isClear: !(isChanged && isOfPart && (isMeant || mentions(to))) }
}

/** Whether a text contains a name that is not part of a longer word. A pattern may contain it in any form. */
function mentionsName({ operator, value }: Condition, name: string): boolean {
  const [text, plain] = [foldText(value), foldText(value.replaceAll('\\', ''))]
  const wanted = foldText(name)
  if (operator === 'regex') return text.includes(wanted) || plain.includes(wanted)
  return [text, plain].some((each) => {
    for (let at = each.indexOf(wanted); at !== -1; at = each.indexOf(wanted, at + 1)) {
      const [before, after] = [each.slice(0, at), each.slice(at + wanted.length)]
      if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after)) return true
    }
    return false
  })
}

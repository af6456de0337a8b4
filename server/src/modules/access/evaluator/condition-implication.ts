import { type Condition, parseCondition } from '@portico/contract/policies'

/**
 * Whether every request that meets `one` also meets `other`, judged by their texts: false when the texts do not decide
 * it. `containment.test.ts` compares it with `judgeCondition`.
 */
export function implies(one: string, other: string): boolean {
  if (one === other) return true
  const [given, wanted] = [parseCondition(one), parseCondition(other)]
  // An invalid condition is never met.
  if (given === null) return true
  if (wanted === null || given.option !== wanted.option || given.key !== wanted.key) return false
  // Such values are compared only as they are written. A comma separates items, and JSON writes it differently.
  const texts = [given.value, wanted.value]
  const areLists = wanted.operator.endsWith('in') || given.operator.endsWith('in')
  return texts.every((text) => isPlain(text) && (areLists || !text.includes(','))) && impliesByOperator(given, wanted)
}

function impliesByOperator(given: Condition, wanted: Condition): boolean {
  const [inner, outer] = [given.value.toLowerCase(), wanted.value.toLowerCase()]
  if (given.operator !== 'regex' && given.operator === wanted.operator && inner === outer) return true
  switch (`${given.operator} ${wanted.operator}`) {
    case 'eq in':
      return isOneItem(inner) && itemsOf(outer).includes(inner)
    case 'in in':
      return isSubset(itemsOf(inner), itemsOf(outer))
    case 'nin nin':
      return isSubset(itemsOf(outer), itemsOf(inner))
    case 'nin neq':
      return isOneItem(outer) && itemsOf(inner).includes(outer)
    case 'sw sw':
      return inner.startsWith(outer)
    case 'ew ew':
      return inner.endsWith(outer)
    case 'sw ct':
    case 'ew ct':
    case 'ct ct':
      return inner.includes(outer)
    case 'nsw nsw':
    case 'nct nsw':
      return outer.startsWith(inner) || (given.operator === 'nct' && outer.includes(inner))
    case 'new new':
    case 'nct new':
      return outer.endsWith(inner) || (given.operator === 'nct' && outer.includes(inner))
    case 'nct nct':
      return outer.includes(inner)
    default:
      return false
  }
}

/**
 * Whether the text is plain: not JSON, which conditions compare in several forms, no letters that names fold, and no
 * leading or trailing spaces, which lists lose.
 */
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) && !/[\\"{}[\]:]|^ | $/.test(text)

/** Whether every field reads the text as one item: names of fields are separated by spaces, other items by commas. */
const isOneItem = (text: string): boolean => !/[\s,;]/.test(text)

const itemsOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const isSubset = (inner: readonly string[], outer: readonly string[]): boolean =>
  inner.every((item) => outer.includes(item))

import type { z } from 'zod'

type Bounds = {
  lowest: number
  highest: number
  /** Whether the value is one of the bounds as the schema declares them. */
  isFor: (bound: number | bigint) => boolean
}

/** Finds the bounds of the number at a path within a schema. Null unless there is one that is bounded on both sides. */
export function boundsAt(schema: z.ZodType, path: readonly PropertyKey[]): Bounds | null {
  for (const number of numbersAt(schema, path)) {
    const { minValue, maxValue, isInt } = number
    if (minValue === null || maxValue === null) continue
    const accepts = (value: number): boolean => number.safeParse(value).success
    const lowest = accepts(minValue) ? minValue : minValue + 1
    const highest = accepts(maxValue) ? maxValue : maxValue - 1
    const isBounded = Math.abs(minValue) < Number.MAX_SAFE_INTEGER && Math.abs(maxValue) < Number.MAX_SAFE_INTEGER
    // Between whole numbers alone is the next one the bound where the declared one is excluded.
    const isExact = isInt || (lowest === minValue && highest === maxValue)
    if (isBounded && isExact) return { lowest, highest, isFor: (bound) => bound === minValue || bound === maxValue }
  }
  return null
}

/** All numbers that a path may lead to: several where a schema has several forms. */
function numbersAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.ZodNumber[] {
  // Every schema is one of these kinds; the class of all says nothing of their definitions.
  const { def } = (schema as z.core.$ZodTypes)._zod
  const [key, ...rest] = path
  switch (def.type) {
    case 'number':
      return [schema as z.ZodNumber]
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return numbersAt(def.innerType, path)
    case 'pipe':
      return [...numbersAt(def.in, path), ...numbersAt(def.out, path)]
    case 'lazy':
      return numbersAt(def.getter(), path)
    case 'union':
      return def.options.flatMap((option) => numbersAt(option, path))
    case 'array':
      return typeof key === 'number' ? numbersAt(def.element, rest) : []
    case 'tuple': {
      const item = typeof key === 'number' ? def.items[key] : undefined
      return item ? numbersAt(item, rest) : []
    }
    case 'record':
      return key === undefined ? [] : numbersAt(def.valueType, rest)
    case 'object': {
      const field = key === undefined ? undefined : def.shape[String(key)]
      return field ? numbersAt(field, rest) : []
    }
    default:
      return []
  }
}

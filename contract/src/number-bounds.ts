import type { z } from 'zod'

type Bounds = {
  lowest: number
  highest: number
  /** Returns whether the value is one of the bounds as declared in the schema. */
  isFor: (bound: number | bigint) => boolean
}

/** Finds the bounds of the number at a path within a schema. Null unless it is bounded on both sides. */
export function boundsAt(schema: z.ZodType, path: readonly PropertyKey[]): Bounds | null {
  for (const number of numbersAt(schema, path)) {
    const { minValue, maxValue, isInt } = number
    if (minValue === null || maxValue === null) continue
    const accepts = (value: number): boolean => number.safeParse(value).success
    const lowest = accepts(minValue) ? minValue : minValue + 1
    const highest = accepts(maxValue) ? maxValue : maxValue - 1
    const isBounded = Math.abs(minValue) < Number.MAX_SAFE_INTEGER && Math.abs(maxValue) < Number.MAX_SAFE_INTEGER
    // Only between whole numbers can an excluded bound be replaced by the next number.
    const isExact = isInt || (lowest === minValue && highest === maxValue)
    if (isBounded && isExact) return { lowest, highest, isFor: (bound) => bound === minValue || bound === maxValue }
  }
  return null
}

/** Returns all numbers that a path may lead to: several if a schema has several forms. */
function numbersAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.ZodNumber[] {
  // Every schema is one of these kinds; their base class does not declare their definitions.
  const { def } = (schema as z.core.$ZodTypes)._zod
  const [key, ...rest] = path
  if (def.type === 'number') return [schema as z.ZodNumber]
  if ('innerType' in def) return numbersAt(def.innerType, path)
  if (def.type === 'pipe') return [...numbersAt(def.in, path), ...numbersAt(def.out, path)]
  if (def.type === 'lazy') return numbersAt(def.getter(), path)
  if (def.type === 'union') return def.options.flatMap((option) => numbersAt(option, path))
  const part = partAt(def, key)
  return part ? numbersAt(part, rest) : []
}

/** Returns the schema of one part: a field, a value by name, or an entry of a list. */
function partAt(def: z.core.$ZodTypes['_zod']['def'], key: PropertyKey | undefined): z.core.$ZodType | undefined {
  if (key === undefined) return undefined
  if (def.type === 'object') return def.shape[String(key)]
  if (def.type === 'record') return def.valueType
  if (def.type === 'array') return def.element
  return def.type === 'tuple' ? def.items[Number(key)] : undefined
}

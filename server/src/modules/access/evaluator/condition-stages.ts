// Which contacts stages let through at most, as far as a condition can tell without knowing the fields.

/** Stages that neither add rows nor give a field another meaning. */
const narrowing = ['$match', '$sort', '$skip', '$limit', '$unwind']

/**
 * Whether every row of the stages meets each of the conditions that `wanted` names as JSON, such as `"City":"Paris"`. They
 * have to stand among the conditions that the leading stages join by `and`: within `$or`, `$nor` or a text they restrict
 * nothing. False for a `wanted` that names none.
 */
export function requiresAll(stages: readonly unknown[], wanted: string): boolean {
  const named = conditionsNamed(wanted)
  if (named.length === 0) return false
  const required = new Set(requiredConditions(stages))
  return named.every((condition) => required.has(condition))
}

function requiredConditions(stages: readonly unknown[]): string[] {
  const found: string[] = []
  for (const stage of stages) {
    const [name, ...others] = isObject(stage) ? Object.keys(stage) : []
    if (name === undefined || others.length > 0 || !narrowing.includes(name)) break
    if (name === '$match') found.push(...joinedConditions((stage as Record<string, unknown>)[name]))
  }
  return found
}

/** The conditions of an object, each as JSON in lower case. */
function joinedConditions(condition: unknown): string[] {
  if (!isObject(condition)) return []
  return Object.entries(condition).flatMap(([name, test]) => {
    if (name === '$and' && Array.isArray(test)) return test.flatMap(joinedConditions)
    return name.startsWith('$') ? [] : [JSON.stringify({ [name]: test }).toLowerCase()]
  })
}

/** `"City":"Paris"`, the same as an object, or the stages themselves. */
function conditionsNamed(wanted: string): string[] {
  for (const text of [wanted, `{${wanted}}`]) {
    const read = readJson(text)
    if (Array.isArray(read)) return requiredConditions(read)
    if (isObject(read)) return joinedConditions(read['$match'] ?? read)
  }
  return []
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

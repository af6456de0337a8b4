import { isNativeError } from 'node:util/types'
import { Script, createContext } from 'node:vm'

// A regular expression can take longer than the universe lasts (`^(a+)+$`), and the value is whatever a client sends.
// So a value has a limit, and a match is stopped after a moment. Both count as no match: nothing is granted by them.
const longestValue = 1000
const longestMatchMs = 100

const rememberedPatterns = 500
const patterns = new Map<string, RegExp | null>()

// V8 stops a regular expression only where it can stop a script.
const sandbox: { pattern: RegExp; values: readonly string[] } = { pattern: /$^/, values: [] }
const context = createContext(sandbox)
const match = new Script('values.some((value) => pattern.test(value))')

/** Whether one of the values matches, in whatever letter case; the expression may match anywhere in it. */
export function matchesPattern(text: string, values: readonly string[]): boolean {
  const pattern = compiled(text)
  const judged = values.filter((value) => value.length <= longestValue)
  if (pattern === null || judged.length === 0) return false
  Object.assign(sandbox, { pattern, values: judged })
  try {
    return match.runInContext(context, { timeout: longestMatchMs }) === true
  } catch (error) {
    // Not `instanceof`: it is an error of the script's own world.
    if (isNativeError(error) && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false
    throw error
  }
}

/** Null when it is none. */
function compiled(text: string): RegExp | null {
  const known = patterns.get(text)
  if (known !== undefined) return known
  const [oldest] = patterns.keys()
  if (oldest !== undefined && patterns.size >= rememberedPatterns) patterns.delete(oldest)
  const pattern = compile(text)
  patterns.set(text, pattern)
  return pattern
}

function compile(text: string): RegExp | null {
  try {
    return new RegExp(text, 'i')
  } catch {
    return null
  }
}

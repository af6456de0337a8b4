// A body is mostly text to be read, so names decide which of its values are credentials.

/** Names that hold one of these anywhere are names of credentials. */
const secretParts =
  /auth|cookie|token|secret|passw|passphrase|passcode|pwd|credential|signature|session|jwt|bearer|hmac|api.?key|access.?key|private.?key/i
/** Too short to be looked for within other words, as in `design` or `monkey`. */
const secretWords = new Set(['key', 'keys', 'mfa', 'otp', 'totp', 'pass', 'pin', 'sas', 'sig'])

/** Properties of a pair, such as `{"name": "Authorization", "value": "…"}`. */
const pairNames = new Set([
  'name',
  'header',
  'field',
  'param',
  'parameter',
  'property',
  'attribute',
  'label',
  'title',
  'id',
])
const pairValues = new Set(['value', 'values', 'val', 'content', 'data'])

/** A number in the place of a text stays one. */
export type Leaf = string | number
type Change = (place: Place, leaf: Leaf) => Leaf

type Place = {
  /** The keys that lead to a value. */
  path: readonly string[]
  /** The key under which its secret is kept: its path, and in it the name of a pair that makes it a secret. */
  key: string
  /** The key of releases that knew no pairs. */
  plainKey: string
  isSecret: boolean
}

function namesSecret(name: string): boolean {
  if (secretParts.test(name)) return true
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.some((word) => secretWords.has(word))
}

/** Changes each text and number of a body. All below a name of a credential are secret. */
export function inBody(body: unknown, change: Change): unknown {
  return inValue(body, { path: [], names: [], isSecret: false }, change)
}

type Way = { path: string[]; names: string[]; isSecret: boolean }

function inValue(value: unknown, way: Way, change: Change): unknown {
  if (typeof value === 'string' || typeof value === 'number') {
    const [key, plainKey] = [JSON.stringify(way.names), JSON.stringify(way.path)]
    return change({ path: way.path, key, plainKey, isSecret: way.isSecret }, value)
  }
  if (typeof value !== 'object' || value === null) return value
  const pair = way.isSecret ? null : pairOf(value)
  const items = Object.entries(value).map(([key, item]): [string, unknown] => {
    const inPair = pair?.values.has(key) ? [pair.name] : []
    return [key, inValue(item, below(way, inPair, key), change)]
  })
  return Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items)
}

const below = ({ path, names, isSecret }: Way, inPair: string[], key: string): Way => ({
  path: [...path, key],
  names: [...names, ...inPair, key],
  isSecret: isSecret || [...inPair, key].some(namesSecret),
})

/**
 * The credential that an object with a name and a value holds, or a list of the two. Beside a `key`, which is a secret itself,
 * every value is one: what is kept may not depend on what is hidden.
 */
function pairOf(value: object): { name: string; values: Set<string> } | null {
  const entries = Object.entries(value)
  const isList = Array.isArray(value) && value.length === 2
  const values = isList ? ['1'] : entries.flatMap(([key]) => (pairValues.has(key.toLowerCase()) ? [key] : []))
  if (values.length === 0) return null
  const names = entries.flatMap(([key, item]: [string, unknown]) => {
    if (!isList && key.toLowerCase() === 'key') return [key]
    const isName = isList ? key === '0' : pairNames.has(key.toLowerCase())
    return isName && typeof item === 'string' && /^[\w .:-]{1,60}$/.test(item) ? [item] : []
  })
  const name = names.find(namesSecret)
  return name === undefined ? null : { name, values: new Set(values) }
}

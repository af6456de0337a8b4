import { hash } from 'node:crypto'

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
  path: () => string[]
  /** The key under which its secret is kept: of its path, and in it the name of a pair that makes it a secret. */
  key: () => string
  /** The key of releases that knew no pairs. */
  plainKey: () => string
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
  return inValue(body, { parent: null, name: '', inPair: [], isSecret: false }, change)
}

/** The way to a value. It leads back: a copy of the names for each value would take as long as all of them together. */
type Way = { parent: Way | null; name: string; inPair: string[]; isSecret: boolean; key?: string; plainKey?: string }

function inValue(value: unknown, way: Way, change: Change): unknown {
  if (typeof value === 'string' || typeof value === 'number') {
    const place = {
      path: () => pathOf(way),
      key: () => keyOf(way),
      plainKey: () => plainKeyOf(way),
      isSecret: way.isSecret,
    }
    return change(place, value)
  }
  if (typeof value !== 'object' || value === null) return value
  const pair = way.isSecret ? null : pairOf(value)
  const items = Object.entries(value).map(([name, item]): [string, unknown] => {
    const inPair = pair?.values.has(name) ? [pair.name] : []
    const isSecret = way.isSecret || [...inPair, name].some(namesSecret)
    return [name, inValue(item, { parent: way, name, inPair, isSecret }, change)]
  })
  return Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items)
}

function pathOf(way: Way): string[] {
  const path: string[] = []
  for (let at = way; at.parent !== null; at = at.parent) path.push(at.name)
  return path.reverse()
}

/** A value is kept under a hash of its way, which is as short for long names as for others. */
const below = (key: string, name: string): string => hash('sha256', `${key}/${name}`, 'base64url')

function keyOf(way: Way): string {
  way.key ??= way.parent === null ? '' : [...way.inPair, way.name].reduce(below, keyOf(way.parent))
  return way.key
}

function plainKeyOf(way: Way): string {
  way.plainKey ??= way.parent === null ? '' : below(plainKeyOf(way.parent), way.name)
  return way.plainKey
}

/** The secrets of a body by their keys. Earlier releases kept them under the JSON of all names of the way. */
export function byKey(secrets: Record<string, Leaf>): Map<string, Leaf> {
  return new Map(
    Object.entries(secrets).map(([key, leaf]) => [
      key.startsWith('[') ? (JSON.parse(key) as string[]).reduce(below, '') : key,
      leaf,
    ]),
  )
}

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

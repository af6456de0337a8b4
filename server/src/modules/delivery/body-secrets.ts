import { hash } from 'node:crypto'

// A body is mostly plain text for readers, so names decide which of its values are credentials.

/** Names that contain one of these anywhere are names of credentials. */
const secretParts =
  /auth|cookie|token|secret|passw|passphrase|passcode|pwd|credential|signature|session|jwt|bearer|hmac|api.?key|access.?key|private.?key/i
/** Words too short to search for within other words, such as `design` or `monkey`. */
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

/** A number stays a number when it is replaced. */
export type Leaf = string | number
type Change = (place: Place, leaf: Leaf) => Leaf

type Place = {
  /** Returns the keys that lead to the value. */
  path: () => string[]
  /**
   * Returns the key under which its secret is stored: a hash of its path, including the name in a pair if that makes it
   * a secret.
   */
  key: () => string
  /** Returns the key used by releases that did not know pairs. */
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

/** Changes each text and number of a body. Everything below the name of a credential is secret. */
export function inBody(body: unknown, change: Change): unknown {
  return inValue(body, { parent: null, name: '', inPair: [], isSecret: false }, change)
}

/**
 * The path to a value, linked from its end to the root: copying the names for each value would take as much time as all
 * paths together.
 */
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

/** A value is stored under a hash of its path, which is short even for long names. */
const below = (key: string, name: string): string => hash('sha256', `${key}/${name}`, 'base64url')

function keyOf(way: Way): string {
  way.key ??= way.parent === null ? '' : [...way.inPair, way.name].reduce(below, keyOf(way.parent))
  return way.key
}

function plainKeyOf(way: Way): string {
  way.plainKey ??= way.parent === null ? '' : below(plainKeyOf(way.parent), way.name)
  return way.plainKey
}

/** The secrets of a body by their keys. Earlier releases stored them under the JSON of all names in the path. */
export function byKey(secrets: Record<string, Leaf>): Map<string, Leaf> {
  return new Map(
    Object.entries(secrets).map(([key, leaf]) => [
      key.startsWith('[') ? (JSON.parse(key) as string[]).reduce(below, '') : key,
      leaf,
    ]),
  )
}

/**
 * The credential in an object with a name and a value, or in a list of the two. Next to a `key`, which is itself a
 * secret, every value is one: which values are secret must not depend on a hidden one.
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

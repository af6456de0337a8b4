import { secretMark } from '@portico/contract/notifications'
import { type DeliverySecrets, type DeliverySettings, splitSecrets } from './delivery-secrets.ts'
import { fillText, type PlaceholderValues } from './placeholders.ts'
import { wordFinder } from './word-finder.ts'

/** Removes secrets from a text that people will read: receivers and libraries repeat what was sent to them. */
export type Redact = (text: string) => string

/** Shorter values would be found by chance in many texts. */
const shortest = 4
/** The scheme in front of a credential is not secret. */
const schemes = new Set(['basic', 'bearer', 'digest', 'token', 'apikey', 'hmac', 'negotiate'])

/**
 * Limit on the total characters of all spellings to find, and on the number of values. Few calls reach a hundredth of
 * it.
 */
const mostSpelled = 400_000
const mostValues = 4000
/** The spellings of a text have at least this many times its characters in total. */
const leastSpellings = 4

/** Replaces a reply if there are too many secrets to find. */
export const notShown = 'Not shown, since the call has too many secrets.'

/**
 * Replaces each secret value that a delivery uses, in every spelling in which a receiver could repeat it, including
 * values that an earlier release stored in plain text. Each place of a text is visited once, regardless of the number
 * of values.
 */
export function redactorOf(
  settings: DeliverySettings,
  secrets: DeliverySecrets,
  placeholders?: PlaceholderValues,
): Redact {
  const hidden = hiddenTexts(settings, secrets, placeholders)
  if (hidden === null) return () => notShown
  const find = wordFinder(Array.from(hidden))
  return (text) => redacted(text, find(folded(text)))
}

/** The spellings to find; null if there are too many. */
function hiddenTexts(
  settings: DeliverySettings,
  secrets: DeliverySecrets,
  placeholders: PlaceholderValues | undefined,
): Set<string> | null {
  const inClear = settings.type === 'letter' ? {} : splitSecrets(settings).secrets
  const values = [...valuesOf(inClear), ...valuesOf(secrets)]
  if (values.length > mostValues || isTooMuch(values)) return null
  // The link to the file opens it without a sign-in.
  const filled = placeholders ? [...values.map((value) => fillText(value, placeholders)), String(placeholders.url)] : []
  if (isTooMuch(filled)) return null
  const keyLines = secrets.privateKey?.split(/[\r\n]+/).filter((line) => /^[\w+/=]{16,}$/.test(line)) ?? []
  const parts = new Set([...[...new Set([...values, ...filled])].flatMap(partsOf), ...keyLines])
  return isTooMuch([...parts]) ? null : spelled(parts)
}

const isTooMuch = (texts: readonly string[]): boolean =>
  texts.reduce((sum, text) => sum + text.length, 0) * leastSpellings > mostSpelled

function spelled(parts: ReadonlySet<string>): Set<string> | null {
  const hidden = new Set<string>()
  let size = 0
  for (const part of parts) {
    for (const text of spellingsOf(part).map(folded)) {
      if (text.length < shortest || text === secretMark || hidden.has(text)) continue
      hidden.add(text)
      size += text.length
    }
    if (size > mostSpelled) return null
  }
  return hidden
}

/** Replaces all hidden texts by the mark; overlapping ones get a single mark. `lengths`: the result of `wordFinder`. */
function redacted(text: string, lengths: Int32Array): string {
  const shown: string[] = []
  let end = text.length
  for (let at = text.length - 1; at >= 0; at--) {
    const length = lengths[at] ?? 0
    if (length === 0) continue
    shown.push(text.slice(at + 1, end), secretMark)
    end = at - length + 1
    for (; at > end; at--) end = Math.min(end, at - (lengths[at - 1] ?? 0))
  }
  shown.push(text.slice(0, end))
  return shown.toReversed().join('')
}

/**
 * Ignores ASCII case: receivers change it when they repeat a text, for example in the digits of `%2F`. Keeps the length
 * of a text.
 */
const folded = (text: string): string => text.replaceAll(/[A-Z]/g, (char) => char.toLowerCase())

/** Removes secrets from the outcome of a delivery, which may then be stored, shown and logged. */
export function outcomeOf(settings: DeliverySettings, secrets: DeliverySecrets): Redact {
  const redact = redactorOf(settings, secrets)
  return (text) => redact(text).slice(0, 2000)
}

function valuesOf({ headers = {}, query = [], body = {}, password }: DeliverySecrets): string[] {
  const inQuery = query.flatMap(({ value }) => [value, decoded(value), decoded(value.replaceAll('+', ' '))])
  const all = [...Object.values(headers), ...inQuery, ...Object.values(body).map(String), password]
  return all.filter((value) => value !== undefined)
}

/** A value, and the parts into which receivers split it: without its scheme, or a name and a password. */
function partsOf(value: string): string[] {
  const whole = value.trim()
  const [, scheme = '', credential = ''] = /^([\w-]+)\s+(.+)$/s.exec(whole) ?? []
  const afterScheme = schemes.has(scheme.toLowerCase()) ? [credential] : []
  const basic = scheme.toLowerCase() === 'basic' ? Buffer.from(credential, 'base64').toString('utf8') : ''
  const [user = '', ...password] = basic.split(':')
  // Words that could occur in any text are not hidden.
  const parts = whole.split(/[\s,;:="'&]+/).filter((part) => part.length >= 8 || /\d|[A-Z]{2}/.test(part))
  return [value, whole, ...afterScheme, ...parts, basic, user, password.join(':')]
}

function spellingsOf(text: string): string[] {
  const encoded = encoded3986(text)
  return [
    text,
    text.replaceAll(/[\s\p{Cc}]+/gu, ' '),
    // The form in which headers are sent.
    text.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?'),
    encoded,
    encoded.replaceAll('%20', '+'),
    encodeURIComponent(text.toWellFormed()),
    encodeURI(text.toWellFormed()),
    JSON.stringify(text).slice(1, -1),
    text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`),
    ...[/'/g, /(?!)/g].map((quote) =>
      text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll(quote, '&#39;'),
    ),
    ...encodedBytesOf(text),
  ]
}

// The length of the shortest hidden secret in base64.
const shortestEncoded = 6

/**
 * The bytes of a text in hex, base64 and base64url, by themselves and as part of a longer text that was encoded as a
 * whole.
 */
function encodedBytesOf(text: string): string[] {
  // Headers are read as Latin-1.
  const read = [Buffer.from(text, 'utf8'), Buffer.from(text, 'latin1')]
  const forms = read.flatMap((bytes) => [
    bytes.toString('hex'),
    bytes.toString('base64'),
    // Without the trailing equals signs.
    bytes.toString('base64url'),
    ...[0, 1, 2].map((before) => insideBase64(bytes, before)),
  ])
  const base64url = forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  return [...forms, ...base64url].filter((form) => form.length >= shortestEncoded)
}

/**
 * The base64 characters that depend on these bytes only, after `before` other bytes; the characters at the ends mix
 * bits of both.
 */
function insideBase64(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}

const encoded3986 = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

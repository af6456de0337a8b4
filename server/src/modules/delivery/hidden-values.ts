import { secretMark } from '@portico/contract/notifications'
import { type DeliverySecrets, type DeliverySettings, splitSecrets } from './delivery-secrets.ts'
import { fillText, type PlaceholderValues } from './placeholders.ts'
import { wordFinder } from './word-finder.ts'

/** Texts that end up before people. Receivers and libraries repeat what they were sent. */
export type Redact = (text: string) => string

/** Shorter values are found by accident, in every other text. */
const shortest = 4
/** The scheme in front of a credential says nothing. */
const schemes = new Set(['basic', 'bearer', 'digest', 'token', 'apikey', 'hmac', 'negotiate'])

/** Most characters of all spellings that are looked for, and most values. Few calls have a hundredth. */
const mostSpelled = 400_000
const mostValues = 4000
/** A text has at least as many characters in all its spellings. */
const leastSpellings = 4

/** Stands for a reply where there is too much to look for. */
export const notShown = 'Not shown, since the call has too many secrets.'

/**
 * Replaces each value of a secret that a delivery uses, in each spelling in which a receiver could repeat it. Also those that an
 * earlier release stored in clear. Looks at each place of a text once, however many values there are.
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

/** The spellings to look for; null where they are too many. */
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

/** Puts the mark in the place of all that is hidden, once for texts that overlap. `lengths`: of `wordFinder`. */
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

/** Receivers change the case of what they repeat, as in the digits of `%2F`. Keeps the length of a text. */
const folded = (text: string): string => text.replaceAll(/[A-Z]/g, (char) => char.toLowerCase())

/** Makes the outcome of a delivery one that may be stored, shown and logged. */
export function outcomeOf(settings: DeliverySettings, secrets: DeliverySecrets): Redact {
  const redact = redactorOf(settings, secrets)
  return (text) => redact(text).slice(0, 2000)
}

function valuesOf({ headers = {}, query = [], body = {}, password }: DeliverySecrets): string[] {
  const inQuery = query.flatMap(({ value }) => [value, decoded(value), decoded(value.replaceAll('+', ' '))])
  const all = [...Object.values(headers), ...inQuery, ...Object.values(body).map(String), password]
  return all.filter((value) => value !== undefined)
}

/** A value, and the parts that receivers take it apart into: without its scheme, or a name and a password. */
function partsOf(value: string): string[] {
  const whole = value.trim()
  const [, scheme = '', credential = ''] = /^([\w-]+)\s+(.+)$/s.exec(whole) ?? []
  const afterScheme = schemes.has(scheme.toLowerCase()) ? [credential] : []
  const basic = scheme.toLowerCase() === 'basic' ? Buffer.from(credential, 'base64').toString('utf8') : ''
  const [user = '', ...password] = basic.split(':')
  // Words that could stand in any text are left alone.
  const parts = whole.split(/[\s,;:="'&]+/).filter((part) => part.length >= 8 || /\d|[A-Z]{2}/.test(part))
  return [value, whole, ...afterScheme, ...parts, basic, user, password.join(':')]
}

function spellingsOf(text: string): string[] {
  const encoded = encoded3986(text)
  return [
    text,
    text.replaceAll(/[\s\p{Cc}]+/gu, ' '),
    // As headers are sent.
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

// As long as the shortest secret that is looked for, in base64.
const shortestEncoded = 6

/** The bytes of a text in hex, base64 and base64url, alone and as a part of a longer text that was encoded whole. */
function encodedBytesOf(text: string): string[] {
  // Headers are read as Latin-1.
  const read = [Buffer.from(text, 'utf8'), Buffer.from(text, 'latin1')]
  const forms = read.flatMap((bytes) => [
    bytes.toString('hex'),
    bytes.toString('base64'),
    // Without the equals signs at its end.
    bytes.toString('base64url'),
    ...[0, 1, 2].map((before) => insideBase64(bytes, before)),
  ])
  const base64url = forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  return [...forms, ...base64url].filter((form) => form.length >= shortestEncoded)
}

/** The characters of base64 that depend on these bytes alone, after this many others; those at the ends have bits of both. */
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

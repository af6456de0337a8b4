import { z } from 'zod'
import { canonicalHost } from './hosts.ts'
import { messages } from './messages.ts'
import { readBy } from './read-text.ts'

// Provided by browsers and Node.js; the contract loads the types of neither.
declare const URL: {
  parse: (text: string) => {
    protocol: string
    host: string
    hostname: string
    port: string
    pathname: string
    search: string
    username: string
    password: string
  } | null
}

const WebAddress = z.url({ protocol: /^https?$/ })

const placeholderInHost = 'Placeholders can be used after the host only, as in https://example.com/{{name}}.'
const blankInside = 'Write the URL without blanks, tabs and line breaks. A blank is %20.'
const fragment = 'Leave out the part from # on: it is never sent.'
const hiddenDots = 'Write the path without encoded slashes beside dots, which servers read as another folder.'
const mostCharacters = 2000

/** Placeholders may contain blanks. */
const placeholder = /\{\{ *\w+ *\}\}/g
/** Programs that read URLs drop tabs and line breaks, so the text would look different from its URL. */
const invisible = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * Returns the part of an address before its path, as browsers and the portal's own calls read it: `\` counts as `/`.
 */
const authorityOf = (text: string): string => /^[^:]*:[/\\]*([^/?#\\]*)/.exec(text)?.[1] ?? ''

const hasInvisible = (text: string): boolean => invisible.test(text.replaceAll(placeholder, ''))

/** Returns whether a call to a URL would sign in with a user or password in it, in any spelling. */
export function hasCredentials(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.username !== '' || url.password !== '')
}

/** A user or password in the URL would be visible wherever it is shown. */
const isEndpoint = (text: string): boolean =>
  WebAddress.safeParse(text).success && !authorityOf(text).includes('@') && !hasCredentials(text)

const hasPlaceholderInHost = (text: string): boolean =>
  authorityOf(text).includes('{{') || (URL.parse(text)?.host.includes('{{') ?? false)

function endpointProblem(text: string): string | null {
  if (hasInvisible(text)) return blankInside
  if (hasPlaceholderInHost(text)) return placeholderInHost
  if (!isEndpoint(text)) return messages.invalid
  if (text.includes('#')) return fragment
  const url = canonicalEndpoint(text)
  if (hasHiddenDots(pathOfEndpoint(url))) return hiddenDots
  return url.length > mostCharacters ? `Use at most ${mostCharacters} characters, with encoded ones.` : null
}

/**
 * The URL of a call, as typed by users, in the one form in which it is checked, stored, shown and called. It may
 * contain placeholders after its host.
 */
export const Endpoint = readBy(
  z
    .string()
    .trim()
    .min(1, messages.required)
    .max(mostCharacters, { abort: true })
    .superRefine((text, context) => {
      const message = text === '' ? null : endpointProblem(text)
      if (message !== null) context.addIssue({ code: 'custom', message })
    })
    .overwrite(canonicalEndpoint),
  // An endpoint that was stored earlier is called in this form too.
  readEndpoint,
)

/** The value of a placeholder never ends a part of the path. */
const inPlace = /\{\{[^{}/\\?#]*\}\}/g

/**
 * Returns a URL as programs read it (WHATWG), with its host in the form of `canonicalHost`: dots and backslashes in its
 * path are resolved, and letters, digits and `-._~` of the path are decoded. Placeholders stay. Any other text is
 * returned unchanged.
 */
export function canonicalEndpoint(text: string): string {
  if (authorityOf(text).includes('{{')) return text
  // URLs do not change it, and the text does not contain it.
  let mark = 'placeholder-'
  while (text.toLowerCase().includes(mark)) mark += 'x-'
  const filled: string[] = []
  const marked = text.replaceAll(inPlace, (whole) => `${mark}${filled.push(whole) - 1}-`)
  const url = URL.parse(marked)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return text
  const host = canonicalHost(url.hostname)
  const shown = host.includes(':') ? `[${host}]` : host
  const port = url.port === '' ? '' : `:${url.port}`
  const written = `${url.protocol}//${shown}${port}${plainLetters(url.pathname)}${url.search}`
  // Each part after a mark begins with the number of its placeholder.
  const [start = '', ...parts] = written.split(mark)
  return parts.reduce((whole, part) => {
    const end = part.indexOf('-')
    return `${whole}${filled[Number(part.slice(0, end))] ?? ''}${part.slice(end + 1)}`
  }, start)
}

/** Letters, digits and `-._~` mean the same encoded or not (RFC 3986, 6.2.2.2). */
const plainLetters = (path: string): string =>
  path.replaceAll(/%[2-7][\da-f]/gi, (encoded) => {
    const letter = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[\w.~-]/.test(letter) ? letter : encoded
  })

/** Returns the path of an endpoint, as written. */
const pathOfEndpoint = (url: string): string => url.replace(/^[^:]*:[/\\]*[^/?#\\]*/, '').replace(/[?#].*$/s, '')

/** No server decodes a slash that is encoded more often. */
const mostEncoded = 5

/** Returns whether servers that decode slashes, or cut off parameters after `;`, would read another path. */
function hasHiddenDots(path: string): boolean {
  let plain = path
  for (let times = 0; times < mostEncoded; times++) {
    plain = plain.replaceAll(/%(25|2e|2f|3b|5c)/gi, (_all, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
  }
  return plain.split(/[/\\]/).some((part) => /^\.{1,2}(;.*)?$/s.test(part))
}

/** Returns whether a filled endpoint is called at the path that it shows: a placeholder may not change other parts. */
export function isCalledAsWritten(url: string): boolean {
  const path = pathOfEndpoint(url)
  return pathOfEndpoint(canonicalEndpoint(url)) === (path === '' ? '/' : path) && !hasHiddenDots(path)
}

/** Reads an endpoint that was stored before `Endpoint` refused it, in the form in which it is called. */
export function readEndpoint(text: string): string {
  const kept = text
    .trim()
    .replace(/#.*$/s, '')
    .replaceAll(/[\t\n\r]/g, '')
  return canonicalEndpoint(
    kept.replaceAll(/(\{\{ *\w+ *\}\})|\s/g, (_blank, filled: string | undefined) => filled ?? '%20'),
  )
}

/** Returns a stored endpoint without a user and password in a spelling that was not recognized earlier. */
export const withoutCredentials = (text: string): string =>
  hasCredentials(text) ? readEndpoint(text).replace(/^([^:]*:[/\\]*)[^/?#\\]*@/, '$1') : text

import { z } from 'zod'
import { messages } from './messages.ts'

// Of browsers and Node; the contract has the types of neither.
declare const URL: { parse: (text: string) => { host: string; username: string; password: string } | null }

const WebAddress = z.url({ protocol: /^https?$/ })

const placeholderInHost = 'Placeholders can be used after the host only, as in https://example.com/{{name}}.'
const blankInside = 'Write the URL without blanks, tabs and line breaks. A blank is %20.'
const fragment = 'Leave out the part from # on: it is never sent.'

/** Placeholders may be written with blanks inside. */
const placeholder = /\{\{ *\w+ *\}\}/g
/** Programs that read URLs drop tabs and line breaks, so that the text says one thing and its URL another. */
const invisible = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** The part of an address before its path, as browsers and the portal's own calls read it: `\` counts as `/`. */
const authorityOf = (text: string): string => /^[^:]*:[/\\]*([^/?#\\]*)/.exec(text)?.[1] ?? ''

const hasInvisible = (text: string): boolean => invisible.test(text.replaceAll(placeholder, ''))

/** Whether a call to a URL would sign in with a user or password in it, however it is written. */
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
  return text.includes('#') ? fragment : null
}

/** The URL of a call that people type. It may contain placeholders after its host. */
export const Endpoint = z
  .string()
  .trim()
  .min(1, messages.required)
  .max(2000, { abort: true })
  .superRefine((text, context) => {
    const message = text === '' ? null : endpointProblem(text)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })

/** An endpoint that was stored before `Endpoint` refused it, as calls read it. */
export function readEndpoint(text: string): string {
  const kept = text
    .trim()
    .replace(/#.*$/s, '')
    .replaceAll(/[\t\n\r]/g, '')
  return kept.replaceAll(/(\{\{ *\w+ *\}\})|\s/g, (_blank, filled: string | undefined) => filled ?? '%20')
}

/** A stored endpoint without the user and password that it may hold in a spelling that was not recognized. */
export const withoutCredentials = (text: string): string =>
  hasCredentials(text) ? readEndpoint(text).replace(/^([^:]*:[/\\]*)[^/?#\\]*@/, '$1') : text

import { canonicalEndpoint, readEndpoint, withoutCredentials } from '@portico/contract/endpoints'
import { placeholders, secretMark } from '@portico/contract/notifications'
import type { HttpNotification } from '@portico/contract/notifications'
import type { z } from 'zod'
import { byKey, inBody, type Leaf } from './body-secrets.ts'

type Settings = z.output<typeof HttpNotification>

/**
 * Secrets of a call: headers by name, values of the query and parts of the path in order, and values of the body by
 * key.
 */
export type HttpSecrets = {
  headers?: Record<string, string>
  query?: { name: string; value: string }[]
  body?: Record<string, Leaf>
}

/**
 * Headers that describe a call but never authenticate it. Every other header may hold a credential, regardless of its
 * name.
 */
const openHeaders = new Set(['accept', 'accept-language', 'content-language', 'content-type', 'user-agent'])
/** Query parameters that choose a format or a version. Every other value may be a credential. */
const openParameters = new Set(['format', 'lang', 'language', 'locale', 'type', 'v', 'version'])
/** Replaces the name of a query part without one, as in `?X`. No name contains it. */
const nameless = '='
/** Replaces the name of a part of the path. */
const inPath = '/'
/** Chat services and many others put the credential of a webhook into its path: a long part with letters and digits. */
const isCredential = (part: string): boolean => part.length >= 16 && /\d/.test(part) && /[a-z]/i.test(part)

const placeholder = new RegExp(String.raw`\{\{\s*(${placeholders.join('|')})\s*\}\}`, 'g')
const marked = new RegExp(String.raw`^\{\{\s*${secretMark.slice(2, -2)}\s*\}\}$`)

/** A text that consists of placeholders contains nothing typed by a user. */
const isOpen = (value: Leaf): boolean => typeof value === 'string' && value.replaceAll(placeholder, '').trim() === ''
const isMark = (value: unknown): boolean => typeof value === 'string' && marked.test(decoded(value))
/** Other separators could hide a second parameter in the value of a harmless one. */
const isOpenParameter = (name: string, value: string): boolean =>
  openParameters.has(decoded(name).toLowerCase()) && !/[;?=&]/.test(decoded(value))

/** Whether a part of an endpoint may be shown. The mark of a secret counts as a secret. */
const isOpenPart = (name: string, value: string): boolean =>
  name === inPath ? !isMark(value) && !isCredential(decoded(value)) : isOpenParameter(name, value)

/**
 * Splits a call into the settings that may be shown and its secrets: null replaces a header, `{{secret}}` other values.
 */
export function splitHttpSecrets(settings: Settings): { settings: Settings; secrets: HttpSecrets } {
  const headers: Record<string, string> = {}
  const shownHeaders = Object.entries(settings.headers).map(([name, value]): [string, string | null] => {
    if (value === null || openHeaders.has(name.toLowerCase()) || isOpen(value)) return [name, value]
    headers[name] = value
    return [name, null]
  })
  const query: NonNullable<HttpSecrets['query']> = []
  const endpoint = inEndpoint(canonicalEndpoint(withoutCredentials(settings.endpoint)), (name, value) => {
    if (isOpenPart(name, value) || isOpen(decoded(value))) return value
    query.push({ name, value: isMark(value) ? secretMark : value })
    return secretMark
  })
  const body: Record<string, Leaf> = {}
  const shownBody = inBody(settings.body, ({ key, isSecret }, leaf) => {
    if (!isSecret || isOpen(leaf) || isMark(leaf)) return leaf
    body[key()] = leaf
    return secretMark
  })
  return {
    settings: { ...settings, headers: Object.fromEntries(shownHeaders), endpoint, body: shownBody as Settings['body'] },
    secrets: filledParts(headers, query, body),
  }
}

/** Puts the secrets of a call back: the reverse of `splitHttpSecrets`. Unknown secrets stay marked. */
export function withHttpSecrets(settings: Settings, secrets: HttpSecrets): Settings {
  const left = Map.groupBy(secrets.query ?? [], ({ name }) => name)
  const endpoint = inEndpoint(settings.endpoint, (name, value) =>
    isMark(value) ? (left.get(name)?.shift()?.value ?? value) : value,
  )
  const kept = byKey(secrets.body ?? {})
  const body = inBody(settings.body, ({ key, plainKey }, leaf) =>
    isMark(leaf) ? (kept.get(key()) ?? kept.get(plainKey()) ?? leaf) : leaf,
  )
  const headers = Object.entries(settings.headers).map(([name, value]) => [
    name,
    value ?? secrets.headers?.[name] ?? null,
  ])
  return {
    ...settings,
    endpoint: readEndpoint(endpoint),
    body: body as Settings['body'],
    headers: Object.fromEntries(headers) as Settings['headers'],
  }
}

/** Fields of a call that still lack their secret; in the body, only the first. */
export function missingHttpSecrets(settings: Settings, secrets: HttpSecrets): string[] {
  const filled = withHttpSecrets(settings, secrets)
  const missing: string[] = []
  for (const [name, value] of Object.entries(filled.headers)) if (value === null) missing.push(`headers.${name}`)
  inEndpoint(filled.endpoint, (_name, value) => {
    if (isMark(value)) missing.push('endpoint')
    return value
  })
  let inFilled: string | undefined
  inBody(filled.body, ({ path }, leaf) => {
    if (isMark(leaf)) inFilled ??= ['body', ...path()].join('.')
    return leaf
  })
  return inFilled === undefined ? missing : [...missing, inFilled]
}

/** The given secrets, and the stored ones for those not given. */
export function mergedHttpSecrets(given: HttpSecrets, kept: HttpSecrets): HttpSecrets {
  const left = Map.groupBy(kept.query ?? [], ({ name }) => name)
  const query = (given.query ?? []).map(({ name, value }) => {
    const known = left.get(name)?.shift()
    return isMark(value) && known ? known : { name, value }
  })
  return filledParts({ ...kept.headers, ...given.headers }, query, {
    ...Object.fromEntries(byKey(kept.body ?? {})),
    ...given.body,
  })
}

/**
 * The secrets for which a call has a place. Without this, a call that is changed repeatedly would accumulate all
 * secrets it ever had.
 */
export function usedHttpSecrets(settings: Settings, { headers = {}, query = [], body = {} }: HttpSecrets): HttpSecrets {
  const usedHeaders = Object.entries(headers).filter(([name]) => settings.headers[name] === null)
  const kept = byKey(body)
  const usedBody: Record<string, Leaf> = {}
  inBody(settings.body, ({ key, plainKey }, leaf) => {
    const value = isMark(leaf) ? (kept.get(key()) ?? kept.get(plainKey())) : undefined
    if (value !== undefined) usedBody[key()] = value
    return leaf
  })
  return filledParts(Object.fromEntries(usedHeaders), query, usedBody)
}

function filledParts(
  headers: NonNullable<HttpSecrets['headers']>,
  query: NonNullable<HttpSecrets['query']>,
  body: NonNullable<HttpSecrets['body']>,
): HttpSecrets {
  return {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(query.length > 0 && { query }),
    ...(Object.keys(body).length > 0 && { body }),
  }
}

/** Changes each part of the path and each value of the query. The fragment, which is never sent, is left out. */
// An endpoint is treated as text: parsing it as a URL would encode its placeholders.
function inEndpoint(endpoint: string, change: (name: string, value: string) => string): string {
  const [, origin = '', path = '', query = ''] = /^([^:]*:[/\\]*[^/?#\\]*)?([^?#]*)(\?[^#]*)?/.exec(endpoint) ?? []
  const changedPath = path.replaceAll(/[^/\\]+/g, (part) => change(inPath, part))
  const changedQuery = query.replaceAll(/([?&])([^&]*)/g, (_all, sign: string, part: string) => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(part) ?? []
    // Without a value, the name may be the credential.
    return sign + (value === '' ? change(nameless, part) : `${name}=${change(name, value)}`)
  })
  return origin + changedPath + changedQuery
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

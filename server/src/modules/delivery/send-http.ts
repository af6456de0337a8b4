import { createHmac, hkdfSync } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import { hasCredentials, isCalledAsWritten } from '@portico/contract/endpoints'
import type { HttpNotification } from '@portico/contract/notifications'
import type { z } from 'zod'
import { derivedKeys, type KeyRing } from '#platform/keys/key-ring.ts'
import type { Outbound, OutboundUse } from '#platform/outbound.ts'
import { DeliveryFailed } from './delivery-failed.ts'
import type { DeliverySecrets } from './delivery-secrets.ts'
import { redactorOf } from './hidden-values.ts'
import { withHttpSecrets } from './http-secrets.ts'
import { fillJson, fillText, type PlaceholderValues } from './placeholders.ts'

/**
 * Returns the keys that sign an account's calls, in the form that receivers are given: the present key, then those from
 * earlier secrets of the installation. They are derived from these secrets, so no key has to be stored.
 */
export function signingSecrets(secretKey: KeyRing, account: AccountId): [string, ...string[]] {
  return derivedKeys(secretKey, (secret) => {
    const key = hkdfSync('sha256', secret, '', `portico signed calls of account ${account}`, 32)
    return `whsec_${Buffer.from(key).toString('base64')}`
  })
}

/**
 * Signs a call according to Standard Webhooks (https://www.standardwebhooks.com). It permits several signatures, so
 * receivers can change to a new key in their own time.
 */
function signatureHeaders(secrets: readonly string[], id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/**
 * Calls a URL. `id` is the same for every attempt, so receivers recognize duplicates.
 * @throws DeliveryFailed, and the errors of `Outbound.request`
 */
export async function sendHttp(
  outbound: Outbound,
  { settings: stored, secrets, id, signingSecrets: signing }: HttpCall,
  values: PlaceholderValues,
  use: OutboundUse,
): Promise<string> {
  const settings = withHttpSecrets(stored, secrets)
  const { method, endpoint } = settings
  const body = method === 'get' ? null : JSON.stringify(fillJson(settings.body, values))
  const url = fillText(endpoint, values, encodeURIComponent)
  // A placeholder that reached the host would send the secrets of one server to another.
  const origin = originOf(endpoint)
  if (origin === null || originOf(url) !== origin)
    throw new DeliveryFailed('A placeholder changes the host of the URL.', true)
  if (!isCalledAsWritten(url)) throw new DeliveryFailed('A placeholder changes the path of the URL.', true)
  if (hasCredentials(url)) throw new DeliveryFailed('The URL contains a user or a password. Use a header.', true)
  const request = {
    method: ({ get: 'GET', post: 'POST', put: 'PUT' } as const)[method],
    headers: {
      'user-agent': 'Portico',
      accept: '*/*',
      ...(body !== null && { 'content-type': 'application/json' }),
      ...headersOf(settings, values),
      ...signatureHeaders(signing, id, body ?? ''),
    },
    body,
  }
  const { status, statusText, location, text } = await outbound.request(url, request, use)
  // Receivers repeat what was sent to them. Done before the text is cut, so no part of a secret is left.
  const redact = redactorOf(stored, secrets, values)
  const shown = (received: string): string => onOneLine(redact(received))
  const responded = `Responded with ${status} ${shown(statusText)}`.trim()
  if (status >= 200 && status < 300) return `${responded}.`
  if (status >= 300 && status < 400) {
    throw new DeliveryFailed(
      // A receiver may repeat the query, including its secrets.
      `${responded}: redirects are not followed. Use the final URL: ${shown(location?.replace(/[?#].*$/s, '') ?? '-')}`,
      true,
    )
  }
  // Transient errors are retried; any other 4xx means that the request itself is wrong.
  const isFinal = status < 500 && ![408, 409, 423, 425, 429].includes(status)
  throw new DeliveryFailed(`${responded}${text.trim() === '' ? '.' : `: ${shown(text)}`}`, isFinal)
}

export type HttpCall = {
  settings: z.output<typeof HttpNotification>
  secrets: DeliverySecrets
  id: string
  signingSecrets: readonly string[]
}

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null)

function headersOf({ headers }: HttpCall['settings'], values: PlaceholderValues) {
  const filled = Object.entries(headers).map(([name, value]) => {
    const text = fillText(value ?? '', values)
    // Headers are sent as Latin-1; other characters would be refused.
    return [name.toLowerCase(), text.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?')]
  })
  return Object.fromEntries(filled) as Record<string, string>
}

function onOneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 300)
}

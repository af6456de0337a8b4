import { createHmac, hkdfSync } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import type { HttpNotification } from '@portico/contract/notifications'
import type { z } from 'zod'
import type { Outbound } from '#platform/outbound.ts'
import { DeliveryFailed } from './delivery-failure.ts'
import type { DeliverySecrets } from './delivery-secrets.ts'
import { fillJson, fillText, type PlaceholderValues } from './placeholders.ts'

/**
 * Returns the key that signs an account's calls, in the form receivers get. Derived from the installation's key, so that
 * none has to be stored.
 */
export function signingSecret(secretKey: string, account: AccountId): string {
  const key = hkdfSync('sha256', secretKey, '', `portico signed calls of account ${account}`, 32)
  return `whsec_${Buffer.from(key).toString('base64')}`
}

/** Signs a call according to Standard Webhooks (https://www.standardwebhooks.com). */
function signatureHeaders(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

/**
 * Calls a URL. `id` is the same for every attempt, so that receivers recognize duplicates.
 * @throws DeliveryFailed, and the errors of `Outbound.request`
 */
export async function sendHttp(
  outbound: Outbound,
  { settings, secrets, id, secret }: HttpCall,
  values: PlaceholderValues,
  signal: AbortSignal,
): Promise<string> {
  const { method, endpoint } = settings
  const body = method === 'get' ? null : JSON.stringify(fillJson(settings.body, values))
  const url = fillText(endpoint, values, encodeURIComponent)
  const request = {
    method: ({ get: 'GET', post: 'POST', put: 'PUT' } as const)[method],
    headers: {
      'user-agent': 'Portico',
      accept: '*/*',
      ...(body !== null && { 'content-type': 'application/json' }),
      ...headersOf(settings, secrets, values),
      ...signatureHeaders(secret, id, body ?? ''),
    },
    body,
  }
  const { status, statusText, location, text } = await outbound.request(url, request, signal)
  const responded = `Responded with ${status}${statusText ? ` ${statusText}` : ''}`
  if (status >= 200 && status < 300) return `${responded}.`
  if (status >= 300 && status < 400) {
    throw new DeliveryFailed(`${responded}: redirects are not followed. Use the final URL: ${location ?? '-'}`, true)
  }
  // Transient errors are retried; any other 4xx means that the request is wrong.
  const isFinal = status < 500 && ![408, 409, 423, 425, 429].includes(status)
  throw new DeliveryFailed(`${responded}${text.trim() === '' ? '.' : `: ${onOneLine(text)}`}`, isFinal)
}

export type HttpCall = {
  settings: z.output<typeof HttpNotification>
  secrets: DeliverySecrets
  id: string
  secret: string
}

function headersOf({ headers }: HttpCall['settings'], secrets: DeliverySecrets, values: PlaceholderValues) {
  const filled = Object.entries(headers).map(([name, value]) => {
    const text = fillText(value ?? secrets.headers?.[name] ?? '', values)
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

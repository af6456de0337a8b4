import type { Notification } from '@portico/contract/notifications'
import type { Secrets } from '#platform/secrets.ts'

/** An email written by the portal. Its kind is stored as `letter`. */
export type PreparedEmail = {
  type: 'letter'
  to: string[]
  subject: string
  text: string
  html: string
  /** The author; the portal by default. */
  from?: { name: string; address: string }
  /** The file is sent along. */
  attaches?: boolean
}
export type DeliverySettings = Notification | PreparedEmail

/** Credentials for the receiver of a delivery. */
export type DeliverySecrets = { password?: string; privateKey?: string; headers?: Record<string, string> }

/** Purpose under which secrets of deliveries are encrypted. */
export const deliveriesPurpose = 'deliveries'

/** Names of headers with credentials, which are shown without their value. */
const secretHeader = /authorization|cookie|token|secret|password|credential|signature|key/i

/** Splits a notification into its secrets and what may be shown, with null in place of each secret. */
export function splitSecrets(notification: Notification): { settings: Notification; secrets: DeliverySecrets } {
  switch (notification.type) {
    case 'email':
      return { settings: notification, secrets: {} }
    case 'sftp': {
      const { password, privateKey } = notification
      return {
        settings: { ...notification, password: null, privateKey: null },
        secrets: { ...(password && { password }), ...(privateKey && { privateKey }) },
      }
    }
    case 'http': {
      const isSecret = (name: string) => secretHeader.test(name)
      const entries = Object.entries(notification.headers)
      const headers = Object.fromEntries(
        entries.filter((entry): entry is [string, string] => isSecret(entry[0]) && entry[1] !== null),
      )
      return {
        settings: {
          ...notification,
          headers: Object.fromEntries(entries.map(([name, value]) => [name, isSecret(name) ? null : value])),
        },
        secrets: Object.keys(headers).length > 0 ? { headers } : {},
      }
    }
  }
}

/** Returns the names of required secrets that are missing. */
export function missingSecrets(settings: DeliverySettings, secrets: DeliverySecrets): string[] {
  if (settings.type === 'sftp') return secrets.password || secrets.privateKey ? [] : ['password']
  if (settings.type !== 'http') return []
  return Object.entries(settings.headers)
    .filter(([name, value]) => value === null && secrets.headers?.[name] === undefined)
    .map(([name]) => `headers.${name}`)
}

/**
 * Fills in omitted secrets from the stored ones, but only for the same destination: otherwise users could have a stored
 * password sent to a server of their own.
 */
export function withKeptSecrets(
  settings: Notification,
  given: DeliverySecrets,
  kept: { settings: DeliverySettings; secrets: DeliverySecrets } | null,
): DeliverySecrets {
  if (!kept || placeOf(settings) !== placeOf(kept.settings)) return given
  const { password, privateKey, headers } = kept.secrets
  const hasOwn = given.password !== undefined || given.privateKey !== undefined
  return {
    ...given,
    ...(!hasOwn && password !== undefined && { password }),
    ...(!hasOwn && privateKey !== undefined && { privateKey }),
    ...(headers && { headers: { ...headers, ...given.headers } }),
  }
}

/** The secrets of a notification, with omitted ones filled in (`withKeptSecrets`); `missing` names one that is still needed. */
export function keptSecrets(
  settings: Notification,
  given: DeliverySecrets,
  kept: Parameters<typeof withKeptSecrets>[2],
): { secrets: DeliverySecrets; missing: string | undefined } {
  const secrets = withKeptSecrets(settings, given, kept)
  return { secrets, missing: missingSecrets(settings, secrets)[0] }
}

/** A notification with its secrets put back: the reverse of `splitSecrets`. */
export function withSecrets(settings: Notification, secrets: DeliverySecrets): Notification {
  if (settings.type === 'sftp') {
    return { ...settings, password: secrets.password ?? null, privateKey: secrets.privateKey ?? null }
  }
  return settings.type === 'http' ? { ...settings, headers: { ...settings.headers, ...secrets.headers } } : settings
}

function placeOf(settings: DeliverySettings): string {
  if (settings.type === 'sftp') {
    return JSON.stringify(['sftp', settings.host.toLowerCase(), settings.port, settings.user])
  }
  return settings.type === 'http' ? JSON.stringify(['http', new URL(settings.endpoint).origin]) : settings.type
}

export function sealSecrets(sealer: Secrets, secrets: DeliverySecrets, deliveryId: string): string | null {
  return Object.keys(secrets).length === 0 ? null : sealer.seal(JSON.stringify(secrets), deliveryId)
}

/** @throws SecretUnreadable */
export function openSecrets(sealer: Secrets, sealed: string | null, deliveryId: string): DeliverySecrets {
  // Only `sealSecrets` writes it.
  return sealed === null ? {} : (JSON.parse(sealer.open(sealed, deliveryId)) as DeliverySecrets)
}

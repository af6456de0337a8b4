import type { Notification } from '@portico/contract/notifications'
import type { Secrets } from '#platform/secrets.ts'

/** A message that the portal has written itself. */
/** An email that the portal wrote itself. `letter` is how its kind is stored. */
export type PreparedEmail = { type: 'letter'; to: string[]; subject: string; text: string; html: string }
export type DeliverySettings = Notification | PreparedEmail

/** Credentials of a delivery for its receiver. */
export type DeliverySecrets = { password?: string; privateKey?: string; headers?: Record<string, string> }

/** Purpose under which secrets of deliveries are encrypted. */
export const deliveriesPurpose = 'deliveries'

/** Header names that carry what others must not read; they are shown without their value. */
const secretHeader = /authorization|cookie|token|secret|password|credential|signature|key/i

/** Sets secrets apart from what may be shown: in their place is null. */
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

/** The names of secrets that are asked for and not there. */
export function missingSecrets(settings: DeliverySettings, secrets: DeliverySecrets): string[] {
  if (settings.type === 'sftp') return secrets.password || secrets.privateKey ? [] : ['password']
  if (settings.type !== 'http') return []
  return Object.entries(settings.headers)
    .filter(([name, value]) => value === null && secrets.headers?.[name] === undefined)
    .map(([name]) => `headers.${name}`)
}

/**
 * Fills in what was left out from what is kept, as long as it would go to the same place: no one gets at a password by
 * sending it to a server of their own.
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

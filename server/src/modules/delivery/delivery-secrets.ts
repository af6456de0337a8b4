import { canonicalEndpoint } from '@portico/contract/endpoints'
import { canonicalHost } from '@portico/contract/hosts'
import type { Notification } from '@portico/contract/notifications'
import type { Secrets } from '#platform/secrets.ts'
import {
  type HttpSecrets,
  mergedHttpSecrets,
  missingHttpSecrets,
  splitHttpSecrets,
  usedHttpSecrets,
  withHttpSecrets,
} from './http-secrets.ts'

/** An email written by the portal. Its kind is stored as `letter`. */
export type PreparedEmail = {
  type: 'letter'
  to: string[]
  subject: string
  text: string
  html: string
  /** The author; the portal by default. */
  from?: { name: string; address: string }
  /** Whether the file is attached. */
  attaches?: boolean
}
export type DeliverySettings = Notification | PreparedEmail

/** Credentials for the receiver of a delivery. */
export type DeliverySecrets = { password?: string; privateKey?: string } & HttpSecrets

/** Purpose under which secrets of deliveries are encrypted. */
export const deliveriesPurpose = 'deliveries'

/** Splits a notification into its secrets and what may be shown, with null or `{{secret}}` in place of each secret. */
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
    case 'http':
      return splitHttpSecrets(notification)
  }
}

/**
 * An instruction or a settings object with notifications as they may be shown: without secrets that an earlier release
 * stored in plain text.
 */
export function withoutSecrets<T>(holder: T): T {
  if (typeof holder !== 'object' || holder === null || !('notifications' in holder)) return holder
  const { notifications } = holder
  if (!Array.isArray(notifications)) return holder
  return { ...holder, notifications: (notifications as Notification[]).map((each) => splitSecrets(each).settings) }
}

/** Returns the names of required secrets that are missing. */
export function missingSecrets(settings: DeliverySettings, secrets: DeliverySecrets): string[] {
  if (settings.type === 'sftp') return secrets.password || secrets.privateKey ? [] : ['password']
  return settings.type === 'http' ? missingHttpSecrets(settings, secrets) : []
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
  if (settings.type === 'http' && kept.settings.type === 'http') {
    // Earlier releases stored some of them in plain text, in the settings.
    const known = mergedHttpSecrets(splitHttpSecrets(kept.settings).secrets, kept.secrets)
    return usedHttpSecrets(settings, mergedHttpSecrets(given, known))
  }
  const { password, privateKey } = kept.secrets
  const hasOwn = given.password !== undefined || given.privateKey !== undefined
  return {
    ...given,
    ...(!hasOwn && password !== undefined && { password }),
    ...(!hasOwn && privateKey !== undefined && { privateKey }),
  }
}

/**
 * The secrets of a notification, with omitted ones filled in (`withKeptSecrets`); `missing` names a field that still
 * lacks its secret.
 */
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
  return settings.type === 'http' ? withHttpSecrets(settings, secrets) : settings
}

function placeOf(settings: DeliverySettings): string {
  if (settings.type === 'sftp') {
    return JSON.stringify(['sftp', canonicalHost(settings.host), settings.port, settings.user])
  }
  return settings.type === 'http'
    ? JSON.stringify(['http', new URL(canonicalEndpoint(settings.endpoint)).origin])
    : settings.type
}

export function sealSecrets(sealer: Secrets, secrets: DeliverySecrets, deliveryId: string): string | null {
  return Object.keys(secrets).length === 0 ? null : sealer.seal(JSON.stringify(secrets), deliveryId)
}

/** @throws SecretUnreadable */
export function openSecrets(sealer: Secrets, sealed: string | null, deliveryId: string): DeliverySecrets {
  // Only `sealSecrets` writes it.
  return sealed === null ? {} : (JSON.parse(sealer.open(sealed, deliveryId)) as DeliverySecrets)
}

import type { ViaKind } from '@portico/contract/audit'

/** How an action was authenticated, or what started it. */
export type Via = {
  kind: ViaKind
  /** Name and access key of the API credential, creator of the impersonation link, or name of the cron. */
  name?: string
}

/** The author of an action and their address, as the audit log records them. */
export type Actor = {
  /** Email of a person, or the part of the product that acts on its own, such as `portico` or `command line`. */
  actor: string
  /** IP address of the request; null without one. */
  address: string | null
  via?: Via
}

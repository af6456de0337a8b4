import type { ViaKind } from '@portico/contract/audit'

/** How an action was authenticated, or what started it. */
export type Via = {
  kind: ViaKind
  /** Which one: name and access key of an API credential, creator of an impersonation link, name of a cron. */
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

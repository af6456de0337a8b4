/** Who did something and from where, as the audit log records it. */
export type Actor = {
  /** Email of a person, or the part of the product that acts on its own, such as `portico` or `command line`. */
  actor: string
  /** IP address of the request; null without one. */
  address: string | null
}

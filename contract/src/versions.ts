import { z } from 'zod'
import { Instant } from './jobs.ts'

/** Version of an item that several people may edit. It starts at 1 and increases with every save. */
export const Version = z.number().int().min(1).max(2_147_483_647)

/**
 * Property of the bodies of calls that change an item: the version that was read before. Any version other than the
 * current one is refused with `newer_version`. Without it, as from older clients, the last save wins.
 */
export const versionOfChange = { version: Version.optional() }

/** One save of an item. */
export const Save = z.object({
  version: Version,
  /** Email of the person, or name of the service identity. */
  savedBy: z.string(),
  savedAt: Instant,
  /** Properties whose values it changed. */
  fields: z.array(z.string()),
})
export type Save = z.output<typeof Save>

/** `details` of `newer_version`: the last save, and all saves since the sent version, newest first, at most ten. */
export type NewerVersion = { version: number; savedBy: string; savedAt: string; changes: Save[] }

import { z } from 'zod'
import { messages } from './messages.ts'

/** States of long-running work: an import, PURL generation, an export (specification 3 §4). */
export const JobStatus = z.enum(['waiting', 'processing', 'recovery', 'completed', 'rejected'])
export type JobStatus = z.output<typeof JobStatus>

/** An instant on the wire: ISO 8601 in UTC. */
export const Instant = z.iso.datetime()

/** Shared name rule of imports and exports, with the exact texts of specification 3 §5. */
export const JobName = z
  .string()
  .trim()
  .min(1, messages.required)
  .min(5, 'Name should have more than 5 charecters')
  .max(100, 'Name should have at most 100 characters')

import { z } from 'zod'
import { messages } from './messages.ts'

/** States of a long-running piece of work: import, PURL generation, export (specification 3 §4). */
export const JobStatus = z.enum(['waiting', 'processing', 'recovery', 'completed', 'rejected'])
export type JobStatus = z.output<typeof JobStatus>

/** An instant on the wire: ISO 8601 in UTC. */
export const Instant = z.iso.datetime()

/** Shared name rule of imports and exports, with the texts of specification 3 §5 as they are written there. */
export const JobName = z
  .string()
  .trim()
  .min(1, messages.required)
  .min(5, 'Name should have more than 5 charecters')
  .max(100, 'Name should have at most 100 characters')

import { z } from 'zod'
import { messages } from '../messages.ts'

/** Maximum calculated columns of one table (specification 4 §9). */
export const mostCalculatedColumns = 5

/** A column that is calculated from others of its row (specification 4 §3). */
export const CalculatedColumn = z.strictObject({
  name: z.string().trim().min(1, messages.required).max(100, 'Use at most 100 characters.'),
  expression: z.string().min(1, messages.required),
  /** `none`, `pre::text` or `post::text`: a fixed text before or after each value. */
  fix: z.string().max(110, 'Use at most 100 characters.').default('none'),
  /** `s` (start), `e` (end), `b::column` (before it) or `a::column` (after it). */
  position: z.string().max(310, 'Use at most 300 characters.').default('e'),
})
export type CalculatedColumn = z.output<typeof CalculatedColumn>

import { z } from 'zod'
import { Stages } from './filter.ts'

const json = <T extends z.ZodType>(name: string, schema: T) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: `${name} must be JSON.` })
        return z.NEVER
      }
    })
    .pipe(schema)

/** The query of every list call of the contact service (specification 3 §7): stages, page, order, columns. */
export const ListQuery = z.strictObject({
  find: json('find', Stages).optional().describe('JSON array of stages: what to match.'),
  sort: json('sort', z.record(z.string(), z.union([z.literal(1), z.literal(-1)])))
    .optional()
    .describe('JSON object {field: 1 | -1}: what to sort by, up or down.'),
  select: z
    .string()
    .optional()
    .describe('Fields to give, joined by spaces; a name with a space stands in double quotes.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  skip: z.coerce.number().int().min(0).default(0),
  count: z.string().optional().describe('With any value: answer {count} instead of the list.'),
})
export type ListQuery = z.output<typeof ListQuery>

export const Count = z.object({ count: z.number().int() })

/** The bare array, or the count when that was asked for. */
export const listReply = <T extends z.ZodType>(item: T) => z.union([z.array(item), Count])

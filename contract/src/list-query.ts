import { z } from 'zod'
import { columnListText } from './column-list.ts'
import { valueProblem } from './json-values.ts'
import { PipelineStages, Stages } from './filter.ts'

/** A query parameter that contains JSON. */
export const jsonText = <T extends z.ZodType>(schema: T, name = 'This') =>
  z
    .string()
    .meta({ contentMediaType: 'application/json' })
    .transform((text, context) => {
      let value: unknown
      let problem: string | null
      try {
        value = JSON.parse(text)
        problem = valueProblem(value)
      } catch {
        problem = `${name} must be JSON.`
      }
      if (problem === null) return value
      context.addIssue({ code: 'custom', message: problem })
      return z.NEVER
    })
    .pipe(schema)

/** The query of every list call of the contact service (specification 3 §7): stages, page, order, columns. */
export const ListQuery = z.strictObject({
  find: jsonText(Stages, 'find').optional().describe('JSON array of stages: what to match. See the schema `Filter`.'),
  sort: jsonText(z.record(z.string(), z.union([z.literal(1), z.literal(-1)])), 'sort')
    .optional()
    .describe('JSON object {field: 1 | -1}: what to sort by, up or down.'),
  select: columnListText(z.string(), 'Put names with spaces in double quotes, with a closing quote.')
    .optional()
    .describe('Fields to return, separated by spaces; put names with spaces in double quotes.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  skip: z.coerce.number().int().min(0).default(0),
  count: z.string().optional().describe('With any value: answer {count} instead of the list.'),
})
export type ListQuery = z.output<typeof ListQuery>

/** The same for contacts, which can also be grouped and computed. */
export const OffersQuery = ListQuery.extend({
  aggregate: jsonText(PipelineStages, 'aggregate')
    .optional()
    .describe(
      'JSON array of stages instead of `find`: what to give. See the schema `Pipeline`. `sort`, `select`, `skip`, ' +
        '`limit` and `count` then work on its rows.',
    ),
  after: z
    .string()
    .optional()
    .describe('Id of the last contact of the page before, instead of `skip`: any page is as fast as the first.'),
  withCount: z
    .string()
    .optional()
    .describe(
      'With any value: answer {rows, count}, the page and how many there are in all; `count` is null where counting ' +
        'takes far longer than the page. With `find` alone.',
    ),
})
export type OffersQuery = z.output<typeof OffersQuery>

export const Count = z.object({ count: z.number().int() })

/** A page, and the number of all entries; null if counting takes much longer than the page. */
export const countedPage = <T extends z.ZodType>(item: T) =>
  z.object({ rows: z.array(item), count: z.number().int().nullable() })

/** The bare array, or the count if that was requested. */
export const listReply = <T extends z.ZodType>(item: T) => z.union([z.array(item), Count])

import { api } from '@portico/contract/api'
import { judgedValue } from '@portico/contract/read-text'
import type { Action, Route } from '@portico/contract/route'
import { z } from 'zod'
import type { RequestParts } from '#platform/http/context.ts'

/**
 * The parts of a request as the calls with this action read them, field by field: a question about an action need not
 * have all fields of a call. Other values are returned unchanged.
 */
export function requestAsRead(action: Action, { params, query, body }: RequestParts): RequestParts {
  const calls = Object.values<Route>(api).filter(({ access }) => access.toLowerCase() === action.toLowerCase())
  return {
    params,
    query: fieldsAsRead(
      calls.flatMap((call) => call.query ?? []),
      query,
    ),
    body: fieldsAsRead(
      calls.flatMap((call) => call.body ?? []),
      body,
    ),
  }
}

function fieldsAsRead(schemas: readonly z.ZodType[], value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const shapes = schemas.flatMap(shapesOf)
  const read = (name: string, given: unknown): unknown => {
    const found = shapes.flatMap((shape) => (Object.hasOwn(shape, name) ? [shape[name] as z.ZodType] : []))
    for (const field of found) {
      // Parameters that hold JSON may also be given as the parsed value.
      for (const form of typeof given === 'object' ? [given, JSON.stringify(given)] : [given]) {
        const { success, data } = field.safeParse(form)
        if (success) return judgedValue(field, data)
      }
    }
    return given
  }
  return Object.fromEntries(Object.entries(value).map(([name, given]: [string, unknown]) => [name, read(name, given)]))
}

function shapesOf(schema: z.ZodType): z.ZodObject['shape'][] {
  if (schema instanceof z.ZodObject) return [schema.shape]
  return schema instanceof z.ZodUnion ? (schema.options as z.ZodType[]).flatMap(shapesOf) : []
}

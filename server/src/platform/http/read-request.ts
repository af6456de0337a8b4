import { valueProblem } from '@portico/contract/json-values'
import { judgedValue } from '@portico/contract/read-text'
import type { Input, Route, Trial } from '@portico/contract/route'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type FieldProblem, mostProblems, readInput } from '#platform/input-problems.ts'
import type { RequestParts } from './context.ts'
import { readQuery } from './url-limits.ts'

/** A request after parsing. */
export type ReadRequest<R extends Route> = {
  /** The parts that conditions are checked against: parsed with defaults, or as sent if they cannot be parsed. */
  judged: RequestParts
  /** Null if there are problems. */
  input: Input<R> | null
  problems: FieldProblem[]
}

/** Parses a request by its route's contract. Refuses, for every route, values that no part of the portal can handle. */
export function readRequest<R extends Route>(route: R, request: FastifyRequest): ReadRequest<R> {
  const sent: RequestParts = { params: request.params, query: readQuery(request), body: request.body }
  const broken = partNames.flatMap((part) => brokenValues(part, sent[part])).slice(0, mostProblems)
  if (broken.length > 0) return { judged: sent, input: null, problems: broken }
  const problems: FieldProblem[] = []
  const parsed = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (!schema) return undefined
    const { data, problems: found } = readInput(schema, value)
    problems.push(...(found ?? []))
    return data
  }
  const params = parsed(route.params, request.params) as object | undefined
  const query = parsed(route.query, sent.query) as object | undefined
  const body = parsed(route.body, request.body ?? {})
  if (problems.length > 0) return { judged: sent, input: null, problems: problems.slice(0, mostProblems) }
  return {
    judged: judgedParts(route, { params: inOrderOf(request.params, params), query, body }),
    input: { ...params, ...query, ...(route.body && { body }) } as Input<R>,
    problems,
  }
}

const partNames = ['params', 'query', 'body'] as const

/** Returns the problems of the first fields of a part that have one, with the names of the fields. */
function brokenValues(part: (typeof partNames)[number], value: unknown): FieldProblem[] {
  // Hardly any part has a problem, and a part may have many fields.
  if (valueProblem({ [part]: value }) === null) return []
  const isNamed = typeof value === 'object' && value !== null && !Array.isArray(value)
  const problems: FieldProblem[] = []
  for (const [name, inner] of isNamed ? Object.entries(value) : [[part, value] as const]) {
    const message = valueProblem({ [name]: inner })
    if (message !== null) problems.push({ field: name.toWellFormed(), message })
    if (problems.length === mostProblems) break
  }
  return problems
}

/** Returns parsed path parameters by their position in the path, which may differ from the schema's order. */
function inOrderOf(sent: unknown, parsed: object | undefined): unknown {
  const values: Record<string, unknown> = { ...parsed }
  return Object.keys(sent as object).map((name) => values[name])
}

/**
 * Returns the parsed parts with everything that the contract has read in them, for conditions to check: of a request,
 * or of a stored one. Most requests are not subject to conditions.
 */
export function judgedParts(
  { query, body, tries }: Pick<Route, 'query' | 'body' | 'tries'>,
  parsed: RequestParts,
): RequestParts {
  let judged: RequestParts | null = null
  const read = (): RequestParts => {
    if (judged) return judged
    const own = {
      params: parsed.params,
      query: query && judgedValue(query, parsed.query),
      body: body && judgedValue(body, parsed.body),
    }
    return (judged = tries ? asSaved(tries, own) : own)
  }
  return {
    get params() {
      return tries ? read().params : parsed.params
    },
    get query() {
      return read().query
    },
    get body() {
      return read().body
    },
  }
}

/** A trial has its own values in addition to those of the save that it tries. */
function asSaved({ as }: Trial, own: RequestParts): RequestParts {
  const sent = Object(own.body) as Record<string, unknown>
  const { params = own.params, body } = as(sent)
  return { ...own, params, body: { ...sent, ...body } }
}

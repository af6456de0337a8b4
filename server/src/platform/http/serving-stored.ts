import type { Input, Route } from '@portico/contract/route'
import type { FastifyInstance } from 'fastify'
import type { Handler, RequestParts } from './context.ts'
import { judgedParts } from './read-request.ts'
import { serveCall, type StoredContext } from './serving.ts'

/** A call that saves, and requests by which it would save something as it is stored. */
export type StoredSave = { save: Pick<Route, 'query' | 'body'>; requests: readonly RequestParts[] }

/** How to find what a call acts on: null if there is no such thing. Nothing of it may be in the reply. */
export type FindStored<R extends Route> = (context: StoredContext, input: Input<R>) => Promise<StoredSave | null>

/**
 * Serves a contract route that acts on something stored. Conditions judge it as if that were saved now, by each of the requests of
 * `find`, with the parts of the call added; by its own parts alone if there is no such thing.
 */
export function serveStored<R extends Route & { isJudgedAsStored: true }>(
  app: FastifyInstance,
  route: R,
  find: FindStored<R>,
  handler: Handler<R>,
): void {
  serveCall(app, route, {
    judgedRequests: async (context, input, sent) => {
      const found = await find(context, input)
      const [first = sent, ...more] = (found?.requests ?? []).map((stored) => withOwn(stored, sent, found?.save))
      return [first, ...more]
    },
    handler,
  })
}

/** The parts of the call count where the save has others of the same name, such as the version that was read. */
function withOwn(stored: RequestParts, sent: RequestParts, save: Pick<Route, 'query' | 'body'> = {}): RequestParts {
  const { params, body } = judgedParts(save, stored)
  return {
    params: params ?? sent.params,
    query: sent.query,
    body: { ...Object(body), ...Object(sent.body) },
  }
}

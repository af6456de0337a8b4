import { eventsApi } from '@portico/contract/events'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import { selectEventFields } from './event-fields.queries.ts'
import { recordContactEvents } from './events.service.ts'

export function eventRoutes(app: FastifyInstance): void {
  serve(app, eventsApi.listEventFields, async ({ db, account }) =>
    (await selectEventFields(db, account)).map((name) => ({ name })),
  )
  serve(app, eventsApi.recordEvents, async ({ db, account }, { id, body }) => ({
    recorded: await recordContactEvents(db, account, id, Array.isArray(body) ? body : [body]),
  }))
}

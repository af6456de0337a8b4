import type { AccountId } from '@portico/contract/accounts'
import { eventsApi } from '@portico/contract/events'
import type { Stages } from '@portico/contract/filter'
import type { FastifyInstance } from 'fastify'
import type { Db } from '#platform/database.ts'
import { serve } from '#platform/http/serving.ts'
import { selectEventFields } from './event-fields.queries.ts'
import { addEventField, listOfferedEventFields, removeEventField } from './event-fields.service.ts'
import { recordContactEvents } from './events.service.ts'

/** Throws `not_found` for a contact that the row rule `rows` hides. */
type RequireVisible = (db: Db, account: AccountId, id: string, rows: Stages | null) => Promise<void>

export function eventRoutes(app: FastifyInstance, requireVisible: RequireVisible): void {
  serve(app, eventsApi.listEventFields, async ({ db, account }) =>
    (await selectEventFields(db, account)).map((name) => ({ name })),
  )
  serve(app, eventsApi.listOfferedEventFields, ({ db, account }) => listOfferedEventFields(db, account))
  serve(app, eventsApi.addEventField, async ({ db, account, actor }, { body }) => {
    await addEventField(db, account, actor, body.name)
    return body
  })
  serve(app, eventsApi.removeEventField, async ({ db, account, actor }, { name }) => {
    await removeEventField(db, account, actor, name)
    return {}
  })
  serve(app, eventsApi.recordEvents, async ({ db, account, rows }, { id, body }) => {
    await requireVisible(db, account, id, rows)
    return { recorded: await recordContactEvents(db, account, id, body) }
  })
}

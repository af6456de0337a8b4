import { contactEditsApi } from '@portico/contract/contact-edits'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import { addContact } from './add.service.ts'
import { listChanges, undoChange } from './changes.service.ts'
import { editContact } from './edit.service.ts'
import { mergeContacts } from './merge.service.ts'

export function contactEditRoutes(app: FastifyInstance): void {
  serve(app, contactEditsApi.addOffer, (context, { body }) => addContact(context, body.values))
  serve(app, contactEditsApi.editOffer, async (context, { id, body }) => ({
    change: await editContact(context, id, body.changes, { kind: 'edited' }),
  }))
  serve(app, contactEditsApi.listContactChanges, ({ db, account, rows }, { id }) =>
    listChanges({ db, account, rows }, id),
  )
  serve(app, contactEditsApi.mergeOffer, (context, { id, body }) => mergeContacts(context, id, body))
  serve(app, contactEditsApi.undoContactChange, async (context, { id, change }) => ({
    change: await undoChange(context, id, change),
  }))
}

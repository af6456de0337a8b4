import { fieldsApi } from '@portico/contract/fields'
import type { FastifyInstance } from 'fastify'
import { requireAllContacts } from '#filters'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import type { RenameJudged } from '#platform/registration.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { serve } from '#platform/http/serving.ts'
import { createFairQueue } from '#platform/waits/fair-queue.ts'
import { beneficiaryOf } from '#platform/waits/shares.ts'
import { changeField } from './field-changes.service.ts'
import { deleteField, restoreField } from './field-deletes.service.ts'
import { getFieldDetails } from './field-details.service.ts'
import { listFieldDetails } from './field-list.service.ts'
import { changeFieldType } from './type-change.service.ts'
import { previewFieldType } from './type-preview.service.ts'

/** A preview reads all values of a field on the thread that answers others too. */
const previewTurns = { atOnce: 2, each: 1, waiting: 2 }
const ofAll = 'A field is the same for all contacts.'

/** `uses`: everything stored that names fields, of all modules. `judged`: the requests by which finished files are judged. */
export function fieldRoutes(
  app: FastifyInstance,
  jobs: Jobs,
  { uses, judged }: { uses: readonly FieldUses[]; judged: readonly RenameJudged[] },
): void {
  serve(app, fieldsApi.listFieldDetails, ({ db, account, caller, rows }) =>
    listFieldDetails({ db, caller, rows }, account),
  )
  serve(app, fieldsApi.getFieldDetails, ({ db, signal, account, caller, rows }, { id }) =>
    getFieldDetails({ db, signal, caller, rows, uses }, account, id),
  )
  serve(app, fieldsApi.updateField, ({ db, account, caller, rows, actor }, { id, body }) => {
    requireAllContacts(rows, ofAll)
    return changeField({ db, caller, uses, judged }, account, actor, id, body)
  })
  const inTurn = createFairQueue(previewTurns)
  serve(app, fieldsApi.previewFieldType, ({ db, signal, account, caller, rows }, { id, type }) => {
    requireAllContacts(rows, ofAll)
    const preview = () => previewFieldType({ db, signal, caller, uses }, account, id, type)
    return inTurn(beneficiaryOf(signal)?.person ?? '', preview, signal)
  })
  serve(app, fieldsApi.changeFieldType, ({ db, account, caller, rows, actor }, { id, body }) => {
    requireAllContacts(rows, ofAll)
    return changeFieldType({ db, jobs, caller, uses }, account, actor, id, body)
  })
  serve(app, fieldsApi.deleteField, ({ db, account, caller, rows, actor }, { id, uses: expected }) => {
    requireAllContacts(rows, ofAll)
    return deleteField({ db, caller, uses }, account, actor, id, expected)
  })
  serve(app, fieldsApi.restoreField, ({ db, account, caller, rows, actor }, { id }) => {
    requireAllContacts(rows, ofAll)
    return restoreField({ db, caller }, account, actor, id)
  })
}

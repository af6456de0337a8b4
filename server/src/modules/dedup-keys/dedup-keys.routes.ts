import { dedupKeysApi } from '@portico/contract/dedup-keys'
import type { FastifyInstance } from 'fastify'
import { requireAllContacts } from '#filters'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { computeDedupKeys, getDedupKeys } from './dedup-keys.service.ts'

const ofAll = 'Dedup keys concern contacts that are not named, so you cannot do it.'

export function dedupKeyRoutes(app: FastifyInstance, { jobs }: Pick<Services, 'jobs'>): void {
  serve(app, dedupKeysApi.getDedupKeys, ({ db, account, caller, rows, signal }) => {
    requireAllContacts(rows, ofAll)
    return getDedupKeys({ db, signal, caller }, account)
  })
  serve(app, dedupKeysApi.computeDedupKeys, ({ db, account, actor, caller, rows }, { body }) => {
    requireAllContacts(rows, ofAll)
    return computeDedupKeys({ db, jobs }, account, { by: actor, caller }, body.dedupColumns)
  })
}

import { sendersApi } from '@portico/contract/senders'
import type { FastifyInstance } from 'fastify'
import { inviterOf } from '#access'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { confirmSender, listSenders, readSenderLink, removeSender, requestSender } from './senders.service.ts'

export function senderRoutes(app: FastifyInstance, { config, jobs }: Pick<Services, 'config' | 'jobs'>): void {
  serve(app, sendersApi.listSenders, ({ db, account }) => listSenders(db, config, account))
  serve(app, sendersApi.requestSender, ({ db, account, actor, caller }, { body }) =>
    requestSender(
      { db, jobs },
      account,
      { by: actor, inviter: inviterOf(caller), holder: caller.holder },
      body.address,
    ),
  )
  serve(app, sendersApi.removeSender, async ({ db, account, actor }, { id }) => {
    await removeSender(db, account, actor, id)
    return {}
  })
  serve(app, sendersApi.readSenderLink, ({ db }, { body }) => readSenderLink(db, body.link))
  serve(app, sendersApi.confirmSender, ({ db, address }, { body }) => confirmSender(db, body.link, address))
}

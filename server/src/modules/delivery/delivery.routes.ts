import { type Notification, notificationsApi } from '@portico/contract/notifications'
import type { FastifyInstance } from 'fastify'
import { AppError } from '#platform/app-error.ts'
import type { Caller } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { forgetHostKey, listHostKeys } from './host-keys.service.ts'
import { signingSecrets } from './send-http.ts'
import { tryNotification, type Trials } from './trial.service.ts'

export function deliveryRoutes(app: FastifyInstance, { config }: Pick<Services, 'config'>, trials: Trials): void {
  serve(app, notificationsApi.testNotification, ({ db, account, actor, caller, callerNow, signal }, { body }) =>
    tryNotification(
      { ...trials, db },
      { account, by: actor, email: caller.email, signal, callerNow: async () => maySave(await callerNow(), body) },
      body.notification,
      body.exportId,
    ),
  )
  serve(app, notificationsApi.getSigningSecret, async ({ account }) => ({
    secret: signingSecrets(config.secretKey, account)[0],
  }))
  serve(app, notificationsApi.listHostKeys, ({ db, account }) => listHostKeys(db, account))
  serve(app, notificationsApi.forgetHostKey, ({ db, account, actor }, { host, port }) =>
    forgetHostKey(db, account, actor, { host, port }),
  )
}

/**
 * Returns the caller. Conditions name a notification by its place in an export or a cron, and a trial reaches no one whom they
 * keep from it there.
 * @throws not_allowed
 */
function maySave(caller: Caller, body: { notification: Notification }): Caller {
  const route = notificationsApi.testNotification
  const judged = judgedParts(route, { params: {}, query: {}, body }).body as { notification: unknown }
  const notifications = [judged.notification]
  const request = { params: {}, query: {}, body: { ...judged, notifications, instruction: { notifications } } }
  const refusal = caller.refusal(route, request)
  if (refusal) throw new AppError(refusal.code, undefined, refusal.message)
  return caller
}

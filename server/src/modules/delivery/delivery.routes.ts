import { notificationsApi } from '@portico/contract/notifications'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { forgetHostKey, listHostKeys } from './host-keys.service.ts'
import { signingSecrets } from './send-http.ts'
import { tryNotification, type Trials } from './trial.service.ts'

export function deliveryRoutes(app: FastifyInstance, { config }: Pick<Services, 'config'>, trials: Trials): void {
  serve(app, notificationsApi.testNotification, ({ db, account, actor, caller, callerNow, signal }, { body }) =>
    tryNotification(
      { ...trials, db },
      { account, by: actor, email: caller.email, signal, callerNow },
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

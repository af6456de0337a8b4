import { notificationsApi } from '@portico/contract/notifications'
import type { FastifyInstance } from 'fastify'
import { createFairQueue } from '#platform/waits/fair-queue.ts'
import { serve } from '#platform/http/serving.ts'
import { createOutbound } from '#platform/outbound.ts'
import type { Services } from '#platform/services.ts'
import { createSecrets } from '#platform/secrets.ts'
import { deliveriesPurpose } from './delivery-secrets.ts'
import { forgetHostKey, listHostKeys } from './host-keys.service.ts'
import { signingSecrets } from './send-http.ts'
import { tryNotification } from './trial.service.ts'

// Short, because a user waits in the dialog.
const trialTimeouts = { connectMs: 10_000, responseMs: 15_000, idleMs: 15_000 }

type RouteServices = Pick<Services, 'config' | 'mail' | 'jobs'>

export function deliveryRoutes(app: FastifyInstance, { config, mail, jobs }: RouteServices): void {
  const trial = {
    config,
    mail,
    jobs,
    outbound: createOutbound(config.outboundAllow, trialTimeouts),
    sealer: createSecrets(config.secretKey, deliveriesPurpose),
    queue: createFairQueue({ atOnce: 16, each: 2, waiting: 4 }),
  }
  serve(app, notificationsApi.testNotification, ({ db, account, actor, caller, callerNow, signal }, { body }) =>
    tryNotification(
      { ...trial, db },
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

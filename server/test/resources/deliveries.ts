import type { Export, NewExport } from '@portico/contract/exports'
import type { Delivery, NotificationInput } from '@portico/contract/notifications'
import { expect } from 'vitest'
import { deliveriesPurpose, type DeliveryDeps, runDelivery } from '#delivery'
import { runExport } from '#exports'
import { createOutbound } from '#platform/outbound.ts'
import { createSecrets } from '#platform/secrets.ts'
import { createExport, exportDraft, exportsPath } from './exports.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'

type Timeouts = Parameters<typeof createOutbound>[1]

/** Dependencies of deliveries. Allows this machine by default, as receivers in tests run on it. */
export function deliveryDeps(portal: TestPortal, allow = ['127.0.0.1'], timeouts: Timeouts = {}): DeliveryDeps {
  const outbound = createOutbound(allow, timeouts)
  return { ...portal.parts, outbound, sealer: createSecrets(portal.config.secretKey, deliveriesPurpose) }
}

/** Creates a completed export with a notification that has not been attempted yet. */
export async function exportWith(
  portal: TestPortal,
  by: Member,
  notification: NotificationInput,
  more: Partial<NewExport> = {},
): Promise<Export> {
  const { _id } = await createExport(by, exportDraft(['Name'], { notifications: [notification], ...more }))
  await runExport(portal.parts, by.account, _id, new AbortController().signal)
  const made = (await by.get(`${exportsPath}/${_id}`)).json<Export>()
  expect(made).toMatchObject({ status: 'completed' })
  return made
}

/** Returns the only delivery of an export. */
export async function deliveryOf(by: Member, exportId: string): Promise<Delivery> {
  const [delivery] = (await by.get(`${exportsPath}/${exportId}/deliveries`)).json<Delivery[]>()
  if (!delivery) throw new Error('there is no delivery')
  return delivery
}

/** Makes the next attempt at once, and returns the delivery. */
export async function attemptNow(
  portal: TestPortal,
  by: Member,
  exportId: string,
  deps = deliveryDeps(portal),
  signal = new AbortController().signal,
): Promise<Delivery> {
  const { _id } = await deliveryOf(by, exportId)
  await makeAttempt(portal, by, _id, deps, signal)
  return deliveryOf(by, exportId)
}

/** Makes the next attempt at a delivery at once. */
export async function makeAttempt(
  portal: TestPortal,
  by: Member,
  delivery: string,
  deps = deliveryDeps(portal),
  signal = new AbortController().signal,
): Promise<void> {
  await portal.parts.database.pool.query(
    `UPDATE account_${by.account}.deliveries SET next_attempt_at = now() - interval '1 minute'
      WHERE id = $1 AND next_attempt_at IS NOT NULL`,
    [delivery],
  )
  await runDelivery(deps, by.account, delivery, signal)
}

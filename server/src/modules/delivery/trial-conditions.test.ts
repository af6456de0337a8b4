import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberWith } from '#test/access.ts'
import { startPortal, type TestPortal } from '#test/portal.ts'

// Conditions of policies name the notifications of exports and crons. A trial has one of its own.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
})
afterAll(() => portal.close())

const notification = { type: 'http', method: 'post', endpoint: 'http://127.0.0.1:9/x', headers: {}, body: { a: 'b' } }

test.each(['body::notifications.endpoint::nct::127.0.0.1', 'body::instruction.notifications.endpoint::nct::127.0.0.1'])(
  'a trial is refused by the condition %s',
  async (condition) => {
    const account = await portal.account()
    const limited = await memberWith(portal, account, { actions: ['*::*::*'], conditions: [condition] })
    const trying = (endpoint: string) =>
      limited.post('/contact-service/v1/notifications/test', { notification: { ...notification, endpoint } })
    expect(await trying(notification.endpoint)).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
    expect(await trying('http://localhost:9/x')).toMatchObject({ status: 200, body: { isOk: false } })
  },
)

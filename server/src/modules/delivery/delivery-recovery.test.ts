import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryOf, exportWith, makeAttempt } from '#test/resources/deliveries.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

// Deliveries whose attempts fail because of the portal's own database.

let portal: TestPortal
let member: Member
let server: WebhookServer

beforeAll(async () => {
  server = await startWebhookServer()
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  member = await portal.member(await portal.account())
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }])
})
afterAll(async () => {
  await portal.close()
  await server.close()
})

/** Makes an attempt whose database connection breaks before anything is sent. */
async function breakAttempt(delivery: string): Promise<void> {
  const { pool, url } = portal.parts.database
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('LOCK TABLE portico.accounts IN ACCESS EXCLUSIVE MODE')
    const attempt = makeAttempt(portal, member, delivery).catch((error: unknown) => error)
    const waiting = async () => {
      const { rows } = await pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return rows.map(({ pid }) => pid)
    }
    await expect.poll(waiting).not.toEqual([])
    await pool.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [await waiting()])
    // The next attempt is enqueued for the account.
    await holder.query('ROLLBACK')
    await attempt
  } finally {
    await holder.end()
  }
}

test('lost database connections use up no retries of a delivery', async () => {
  const { _id } = await exportWith(portal, member, { type: 'http', method: 'get', endpoint: `${server.url}/done` })
  const { _id: delivery } = await deliveryOf(member, _id)
  for (let round = 1; round <= 4; round++) {
    await breakAttempt(delivery)
    expect(await deliveryOf(member, _id)).toMatchObject({ status: 'recovery', recoveryCount: 0 })
  }
  expect(server.received).toEqual([])
  expect(await attemptNow(portal, member, _id)).toMatchObject({ status: 'completed', recoveryCount: 1 })
  expect(server.received).toHaveLength(1)
})

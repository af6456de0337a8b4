import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sendEmailAbout } from '#delivery'
import { addContacts } from '#test/resources/contacts.ts'
import { deliveryOf } from '#test/resources/deliveries.ts'
import { createExport, exportDraft } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Receivers that hold each call as long as they can: those of one account, and those of enough accounts to fill all
// places.

let portal: TestPortal
let receiver: Server
const held: ServerResponse[] = []

beforeAll(async () => {
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  receiver = createServer((request, response) => {
    if (request.url === '/slow') held.push(response)
    else response.end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  await portal.startWorker()
})
afterAll(async () => {
  for (const response of held) response.end()
  await portal.close()
  receiver.closeAllConnections()
  receiver.close()
})

async function aMember(parent?: number): Promise<Member> {
  const member = await portal.member(await portal.account(undefined, parent))
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }])
  return member
}
const call = (path: string) => ({
  type: 'http' as const,
  method: 'get' as const,
  endpoint: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`,
})
const exportTo = (by: Member, path: string) => createExport(by, exportDraft(['Name'], { notifications: [call(path)] }))
const waiting = { timeout: 20_000, interval: 50 }

test('hanging deliveries delay neither those of other companies nor emails of the portal', async () => {
  const slow = await aMember()
  const sub = await aMember(slow.account)
  const other = await aMember()
  for (const member of [slow, sub, sub, slow, slow, sub]) await exportTo(member, '/slow')
  await vi.waitUntil(() => held.length === 2, waiting)
  const { _id } = await exportTo(other, '/')
  await vi.waitUntil(async () => (await deliveryOf(other, _id)).status === 'completed', waiting)
  expect(held).toHaveLength(2)

  for (const member of [await aMember(), await aMember()]) {
    for (let made = 0; made < 2; made++) await exportTo(member, '/slow')
  }
  await vi.waitUntil(() => held.length === 6, waiting)
  const letter = { to: ['ada@x.com'], subject: 'About an import', text: 'It has ended.', html: '<p>It has ended.</p>' }
  const { db, pool } = portal.parts.database
  await sendEmailAbout({ db, jobs: portal.parts.jobs }, other.account, { kind: 'import', id: '1' }, letter)
  const isTried = async () => {
    const { rows } = await pool.query(
      `SELECT FROM account_${other.account}.deliveries WHERE subject_kind = 'import' AND attempt_count > 0`,
    )
    return rows.length === 1
  }
  await vi.waitUntil(isTried, waiting)
  expect(held).toHaveLength(6)
})

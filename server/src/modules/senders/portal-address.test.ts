import { createHash } from 'node:crypto'
import type { NotificationInput } from '@portico/contract/notifications'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryOf, exportWith } from '#test/resources/deliveries.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Emails that accounts send from the portal's own address, which emails about passwords also use.

let portal: TestPortal
let server: MailServer
let owner: Member
let accountName = ''
let accounts = 0

beforeAll(async () => {
  server = await startMailServer()
  portal = await startPortal({ smtpUrl: server.url, mailSenderDomains: ['trusted.example'] })
})
beforeEach(async () => {
  server.received.length = 0
  accountName = `Acme ${++accounts}`
  owner = await portal.member(await portal.account(accountName))
  await addContacts(portal.parts.database, owner.account, { Name: 'string' }, [{ Name: 'Ada' }])
})
afterAll(async () => {
  await portal.close()
  await server.close()
})

const query = (sql: string, ...values: unknown[]) => portal.parts.database.pool.query(sql, values)

const anEmail = (from: string, to = 'ada@example.com'): NotificationInput => ({
  type: 'email',
  from,
  fromName: 'The Boss',
  to,
  subject: 'Ready',
  htmlBody: '<p>{{url}}</p>',
})

test("an email from the portal's own address has the account's name, regardless of the name entered", async () => {
  const own = { ...anEmail('No-Reply@localhost'), fromName: 'Portico Security' }
  const made = await exportWith(portal, owner, own)
  await attemptNow(portal, owner, made._id)
  expect((await owner.post('/contact-service/v1/notifications/test', { notification: own })).status).toBe(200)
  expect(server.received.map(({ message }) => message.from)).toEqual(
    Array(2).fill({ name: `${accountName} via Portico`, address: 'no-reply@localhost' }),
  )
})

test('a notification saved before senders were verified is sent by the portal itself, and its log says so', async () => {
  const made = await exportWith(portal, owner, anEmail('anyone@trusted.example'))
  await query(
    `UPDATE account_${owner.account}.deliveries SET settings = settings || '{"from": "ceo@bank.example"}' WHERE id = $1`,
    (await deliveryOf(owner, made._id))._id,
  )
  expect(await attemptNow(portal, owner, made._id)).toMatchObject({
    status: 'completed',
    result:
      "Accepted by the mail server for 1 address. Sent from the portal's own address, because ceo@bank.example is not a verified sender of this account.",
  })
  const message = server.received.at(-1)?.message
  expect(message?.from).toEqual({ name: `${accountName} via Portico`, address: 'no-reply@localhost' })
  expect([message?.replyTo, message?.sender]).toEqual([undefined, undefined])
})

test("a stranger gets at most 20 emails a day from the portal's own address; people of the account get all", async () => {
  const stranger = createHash('sha256').update('ada@example.com').digest('hex')
  const own = (to: string) => exportWith(portal, owner, anEmail('no-reply@localhost', to))
  const both = await own(`Ada@example.com, ${owner.email}`)
  await attemptNow(portal, owner, both._id)
  const counted = await query(
    `UPDATE portico.mail_counts SET sent = sent + 19 WHERE account_id = $1 AND kind = $2 AND sent = 1`,
    owner.account,
    `to ${stranger}`,
  )
  expect(counted.rowCount).toBe(1)
  expect(await attemptNow(portal, owner, (await own(`ada@example.com, ${owner.email}`))._id)).toMatchObject({
    result:
      'Accepted by the mail server for 1 address. Not sent to all: ada@example.com got 20 emails today, the most for an address of no person here.',
  })
  expect(server.received.map(({ recipients }) => recipients)).toEqual([['Ada@example.com', owner.email], [owner.email]])
  expect(await attemptNow(portal, owner, (await own('ada@example.com'))._id)).toMatchObject({
    status: 'rejected',
    result:
      'Not sent: ada@example.com got 20 emails today, the most for an address of no person here. Resend it tomorrow.',
  })
  expect(
    await attemptNow(portal, owner, (await exportWith(portal, owner, anEmail('anyone@trusted.example')))._id),
  ).toMatchObject({ status: 'completed' })
  const { rows } = await query(
    `SELECT sent FROM portico.mail_counts WHERE account_id = $1 AND kind = 'email'`,
    owner.account,
  )
  expect(rows).toEqual([{ sent: 4 }])
})

import type { NotificationInput } from '@portico/contract/notifications'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryOf, exportWith } from '#test/resources/deliveries.ts'
import { exportDraft, exportsPath } from '#test/resources/exports.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The name of a sender: many mail programs show it instead of the address.

let portal: TestPortal
let server: MailServer
let owner: Member

beforeAll(async () => {
  server = await startMailServer()
  portal = await startPortal({ smtpUrl: server.url, mailSenderDomains: ['trusted.example', 'mail.trusted.com'] })
  owner = await portal.member(await portal.account())
  await portal.account('Big Bank')
  await addContacts(portal.parts.database, owner.account, { Name: 'string' }, [{ Name: 'Ada' }])
})
afterAll(async () => {
  await portal.close()
  await server.close()
})

const query = (sql: string, ...values: unknown[]) => portal.parts.database.pool.query(sql, values)

const anEmail = (from: string): NotificationInput => ({
  type: 'email',
  from,
  to: 'ada@example.com',
  subject: 'Ready',
  htmlBody: '<p>{{url}}</p>',
})

test.each(['ceo@bank.example', 'The Boss <ceo@bank.example>', '"ceo＠bank.example" via Acme'])(
  'a sender name cannot show another address: %s',
  async (fromName) => {
    const notification = { ...anEmail('anyone@trusted.example'), fromName }
    const saved = await owner.post(exportsPath, exportDraft(['Name'], { notifications: [notification] }))
    const field = { field: 'notifications.0.fromName', message: 'A name cannot contain an email address.' }
    expect(saved).toMatchObject({ status: 400, body: { error: { details: [field] } } })
    const tried = await owner.post('/contact-service/v1/notifications/test', { notification })
    expect(tried).toMatchObject({ status: 400, body: { error: { details: [{ field: 'notification.fromName' }] } } })
  },
)

test.each([
  ['paypal.com', 'A name cannot contain the web address of others (paypal.com). Use your own, or leave it out.'],
  [
    'Support of Bank.co.uk',
    'A name cannot contain the web address of others (bank.co.uk). Use your own, or leave it out.',
  ],
  ['p\u0430ypal．com', 'A name cannot contain the web address of others (paypal.com). Use your own, or leave it out.'],
  ['Big\u200BBank', 'A name cannot contain invisible characters. Type it again.'],
  ['knaB giB\u202E', 'A name cannot contain invisible characters. Type it again.'],
  ['Big Bank', 'This is the name of another account. Use a name of your own.'],
  [' big  BANK', 'This is the name of another account. Use a name of your own.'],
  ['B\u0456g B\u0430nk', 'This is the name of another account. Use a name of your own.'],
  ['Ｂｉｇ Bank', 'This is the name of another account. Use a name of your own.'],
  ['Bíg-Bank.', 'This is the name of another account. Use a name of your own.'],
  ['Portico', 'This is the name of the portal. Use a name of your own.'],
  ['Port-ico', 'This is the name of the portal. Use a name of your own.'],
  ['Portíco', 'This is the name of the portal. Use a name of your own.'],
  ['Pоrtico.', 'This is the name of the portal. Use a name of your own.'],
  ['The P O R T I C O Security Team', 'This is the name of the portal. Use a name of your own.'],
])('a sender name cannot pass as others: %s', async (fromName, message) => {
  const notification = { ...anEmail('anyone@trusted.example'), fromName }
  const saved = await owner.post(exportsPath, exportDraft(['Name'], { notifications: [notification] }))
  const field = { field: 'notifications.0.fromName', message }
  expect(saved).toMatchObject({ status: 400, body: { error: { details: [field] } } })
})

test('a sender name may be that of the own or main account, and contain the own web address', async () => {
  const main = await portal.account('Main Company')
  const id = await portal.account('Its Branch', main)
  const branch = await portal.member(id)
  await addContacts(portal.parts.database, id, { Name: 'string' }, [{ Name: 'Ada' }])
  for (const fromName of ['Main Company', 'Its Branch', 'News of trusted.com', 'Dr. No', 'Node.js', 'St.Gallen']) {
    const notification = { ...anEmail('anyone@mail.trusted.com'), fromName }
    const saved = await branch.post(exportsPath, exportDraft(['Name'], { notifications: [notification] }))
    expect({ fromName, status: saved.status }).toEqual({ fromName, status: 201 })
  }
})

test('a sender name may be that of the portal if the account is named so', async () => {
  const id = await portal.account('Portico Europe')
  const by = await portal.member(id)
  await addContacts(portal.parts.database, id, { Name: 'string' }, [{ Name: 'Ada' }])
  const notification = { ...anEmail('anyone@trusted.example'), fromName: 'Portico News' }
  expect((await by.post(exportsPath, exportDraft(['Name'], { notifications: [notification] }))).status).toBe(201)
})

test('a notification of an earlier release is sent without a refused name; its own address is allowed', async () => {
  const made = await exportWith(portal, owner, anEmail('anyone@trusted.example'))
  const rename = async (name: string) => {
    const { _id } = await deliveryOf(owner, made._id)
    const settings = JSON.stringify({ fromName: name })
    await query(`UPDATE account_${owner.account}.deliveries SET settings = settings || $2 WHERE id = $1`, _id, settings)
  }
  for (const [name, shown] of [
    ['ceo@bank.example', ''],
    ['Anyone@trusted.example', 'Anyone@trusted.example'],
  ] as const) {
    await rename(name)
    await owner.post(`${exportsPath}/${made._id}/deliveries/${(await deliveryOf(owner, made._id))._id}/resend`)
    await attemptNow(portal, owner, made._id)
    expect(server.received.at(-1)?.message.from).toEqual({ name: shown, address: 'anyone@trusted.example' })
  }
})

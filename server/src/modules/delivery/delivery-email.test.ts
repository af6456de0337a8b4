import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { NotificationInput } from '@portico/contract/notifications'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMail } from '#platform/mail.ts'
import { addContacts } from '#test/contacts.ts'
import { attemptNow, deliveryDeps, exportWith } from '#test/deliveries.ts'
import { type MailServer, startMailServer } from '#test/mail-server.ts'
import { type Member, startPortal, type TestPortal } from '#test/portal.ts'

let portal: TestPortal
let member: Member
let server: MailServer

beforeAll(async () => {
  server = await startMailServer()
  portal = await startPortal({ smtpUrl: server.url })
  member = await portal.member(await portal.account('Acme <& Sons>'))
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }, { Name: 'Eve' }])
})
beforeEach(() => {
  server.refuse(null)
  server.received.length = 0
})
afterAll(async () => {
  await portal.close()
  await server.close()
})

const anEmail = (more: object = {}): NotificationInput => ({
  type: 'email',
  from: 'reports@acme.example',
  fromName: 'Reports',
  to: 'ada@example.com, bob@example.com',
  subject: '{{name}}: {{records}} records',
  htmlBody: '<p>{{account}}: <a href="{{url}}">{{name}}</a>, {{size}}, until {{expires}}, {{unknown}}</p>',
  textBody: 'Get it: {{url}}',
  ...more,
})

test('an e-mail has its placeholders filled, text as text, and a link that works', async () => {
  const made = await exportWith(portal, member, anEmail(), { name: 'Big <b>list</b>' })
  const done = await attemptNow(portal, member, made._id)
  expect(done).toMatchObject({
    kind: 'email',
    status: 'completed',
    target: 'ada@example.com, bob@example.com',
    result: 'Accepted by the mail server for 2 addresses.',
  })
  const [mail] = server.received
  expect(mail?.recipients).toEqual(['ada@example.com', 'bob@example.com'])
  expect(mail?.message).toMatchObject({
    subject: 'Big <b>list</b>: 2 records',
    from: { name: 'Reports', address: 'reports@acme.example' },
    messageId: `<${done._id}@localhost>`,
  })
  // The real sender, for mail servers on the way.
  expect(mail?.message.sender?.address).toBe('no-reply@localhost')
  expect(mail?.message.html).toContain('Acme &#60;&#38; Sons&#62;')
  expect(mail?.message.html).toContain('{{unknown}}')
  expect(mail?.message.html).not.toContain('<b>')
  const { pathname, search } = new URL(/Get it: (\S+)/.exec(mail?.message.text ?? '')?.[1] ?? '')
  expect((await portal.app.inject({ url: pathname + search })).body).toBe('Name\nAda\nEve\n')
})

test('without a text of its own it says the least in plain text', async () => {
  const made = await exportWith(portal, member, anEmail({ textBody: '' }))
  await attemptNow(portal, member, made._id)
  expect(server.received[0]?.message.text).toContain(`${made.name} is ready: 2 records`)
})

test('a server that defers is asked again, with the same message', async () => {
  server.refuse({ code: 451, message: 'try later' })
  const made = await exportWith(portal, member, anEmail())
  const failed = await attemptNow(portal, member, made._id)
  expect(failed).toMatchObject({ status: 'recovery', attempts: [{ isOk: false }] })
  expect(failed.result).toContain('try later')
  server.refuse(null)
  expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed', recoveryCount: 1 })
  expect(server.received).toHaveLength(1)
})

test('a server that refuses for ever ends it at once', async () => {
  server.refuse({ code: 550, message: 'no such user' })
  const made = await exportWith(portal, member, anEmail())
  const failed = await attemptNow(portal, member, made._id)
  expect(failed).toMatchObject({ status: 'rejected', recoveryCount: 0, nextAttemptAt: null })
  expect(failed.result).toContain('no such user')
})

test('a server that drops the connection is asked again', async () => {
  const dropping = createServer((socket) => {
    socket.write('220 hello\r\n')
    socket.once('data', () => socket.destroy())
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => void dropping.listen(0, '127.0.0.1', () => resolve()))
  // A server that listens on a port has an address of this form.
  const { port } = dropping.address() as AddressInfo
  const made = await exportWith(portal, member, anEmail())
  const mail = createMail({ ...portal.config, smtpUrl: `smtp://127.0.0.1:${port}` })
  const failed = await attemptNow(portal, member, made._id, { ...deliveryDeps(portal), mail })
  expect(failed).toMatchObject({ status: 'recovery', recoveryCount: 0 })
  expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed', recoveryCount: 1 })
  dropping.close()
})

test('trying it out really sends one', async () => {
  const path = '/contact-service/v1/notifications/test'
  expect((await member.post(path, { notification: anEmail() })).body).toEqual({
    isOk: true,
    message: 'Accepted by the mail server for 2 addresses.',
  })
  expect(server.received).toMatchObject([{ message: { subject: 'Trial: 0 records' } }])
})

test('each address of a list that is none is named', async () => {
  const notification = anEmail({ to: 'ada@example.com, nobody, x@' })
  const answer = await member.post('/contact-service/v1/notifications/test', { notification })
  expect([answer.status, answer.body]).toMatchObject([
    400,
    { error: { details: [{ field: 'notification.to', message: "'nobody' is invalid!, 'x@' is invalid!" }] } },
  ])
})

test('an import tells its figures to whom it was asked to tell', async () => {
  const own = await portal.account()
  const by = await portal.member(own)
  await portal.startWorker()
  const { url } = (await by.get('/contact-service/v1/uploads/people.csv')).json<{ url: string }>()
  await portal.app.inject({ method: 'PUT', url, payload: 'First Name,City\nAda,London\nBob\nEve,Paris\n' })
  const made = await by.post('/contact-service/v1/imports', {
    name: 'Some contacts',
    filePath: 'people.csv',
    fileDelimiter: 'comma',
    processBatchSize: 25,
    generatePURL: false,
    purlGenerationScope: 'account',
    dedupHashMatching: false,
    typeCasting: false,
    exportOnImportCompletion: false,
    notificationEmails: ['boss@example.com', 'ada@example.com'],
  })
  expect(made.status).toBe(201)
  await expect.poll(() => server.received.length, { timeout: 30_000 }).toBe(1)
  expect(server.received[0]).toMatchObject({
    recipients: ['boss@example.com', 'ada@example.com'],
    message: { subject: 'Import completed: Some contacts' },
  })
  const text = server.received[0]?.message.text ?? ''
  for (const line of ['New: 2', 'Set aside for correction: 1', `/contact-service/imports?account=${own}`]) {
    expect(text).toContain(line)
  }
})

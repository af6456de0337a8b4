import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { NewImport } from '@portico/contract/imports'
import type { NotificationInput } from '@portico/contract/notifications'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createMail } from '#platform/mail.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryDeps, exportWith } from '#test/resources/deliveries.ts'
import { exportDraft } from '#test/resources/exports.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member
let server: MailServer

beforeAll(async () => {
  server = await startMailServer()
  portal = await startPortal({ smtpUrl: server.url, mailSenderDomains: ['acme.example'] })
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
  htmlBody: '<p>{{account}}: <a href="{{url}}">{{name}}</a>, {{size}}, until {{expires}}</p>',
  textBody: 'Get it: {{url}}',
  ...more,
})

test('an email has its placeholders filled in, HTML escaped, and a working link', async () => {
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
  expect(mail?.message.html).toContain('Acme &lt;&amp; Sons&gt;')
  expect(mail?.message.html).not.toContain('<b>')
  const { pathname, search } = new URL(/Get it: (\S+)/.exec(mail?.message.text ?? '')?.[1] ?? '')
  expect((await portal.app.inject({ url: pathname + search })).body).toBe('Name\nAda\nEve\n')
})

test('an email without a text body gets a short plain text', async () => {
  const made = await exportWith(portal, member, anEmail({ textBody: '' }))
  await attemptNow(portal, member, made._id)
  expect(server.received[0]?.message.text).toContain(`${made.name} is ready: 2 records`)
})

test('a deferred email is retried with the same message', async () => {
  server.refuse({ code: 451, message: 'try later' })
  const made = await exportWith(portal, member, anEmail())
  const failed = await attemptNow(portal, member, made._id)
  expect(failed).toMatchObject({ status: 'recovery', attempts: [{ isOk: false }] })
  expect(failed.result).toContain('try later')
  server.refuse(null)
  expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed', recoveryCount: 1 })
  expect(server.received).toHaveLength(1)
})

test('a permanent refusal rejects the delivery at once', async () => {
  server.refuse({ code: 550, message: 'no such user' })
  const made = await exportWith(portal, member, anEmail())
  const failed = await attemptNow(portal, member, made._id)
  expect(failed).toMatchObject({ status: 'rejected', recoveryCount: 0, nextAttemptAt: null })
  expect(failed.result).toContain('no such user')
})

test('a dropped connection is retried', async () => {
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

test('a trial sends the email to the caller only', async () => {
  const path = '/contact-service/v1/notifications/test'
  expect((await member.post(path, { notification: anEmail() })).body).toEqual({
    isOk: true,
    message: 'Accepted by the mail server for 1 address.',
  })
  expect(server.received).toMatchObject([{ recipients: [member.email], message: { subject: 'Trial: 0 records' } }])
})

test('an email is limited to 50 addresses', async () => {
  const to = (count: number) => Array.from({ length: count }, (_, index) => `a${index}@example.com`).join(', ')
  const save = (count: number) =>
    member.post('/contact-service/v1/exports', exportDraft(['Name'], { notifications: [anEmail({ to: to(count) })] }))
  expect((await save(50)).status).toBe(201)
  const field = { field: 'notifications.0.to', message: 'Use at most 50 addresses.' }
  expect(await save(51)).toMatchObject({ status: 400, body: { error: { details: [field] } } })
})

test('a body keeps its formatting and loses active content, after its placeholders are filled in', async () => {
  await portal.parts.database.pool.query('UPDATE portico.accounts SET name = $1 WHERE id = $2', [
    'javascript:alert(1)',
    member.account,
  ])
  const htmlBody = `<html><head><title>T</title><style>p{color:red}</style></head><body onload="a()">
    <h1 style="color: #123456; background-image: url(https://track.example/x)">Hello</h1><script>alert(1)</script>
    <table border="1"><tr><td colspan="2" onclick="a()">cell</td></tr></table>
    <form action="https://evil.example"><input name="password"><button>Send</button></form>
    <a href="{{account}}">bad</a> <a href="https://example.com/page">good</a> <a href="mailto:a@example.com">mail</a>
    <img src="https://example.com/logo.png" alt="Logo" onerror="a()"><img src="http://example.com/a.png">
    <img src="data:image/png;base64,AAAA"><iframe src="https://evil.example"></iframe><svg onload="a()"></svg></body></html>`
  const made = await exportWith(portal, member, anEmail({ htmlBody }))
  await attemptNow(portal, member, made._id)
  const html = server.received[0]?.message.html ?? ''
  for (const kept of ['<h1 style="color:#123456">', '<td colspan="2">cell', 'href="https://example.com/page"']) {
    expect(html).toContain(kept)
  }
  for (const kept of [
    'src="https://example.com/logo.png"',
    'alt="Logo"',
    'href="mailto:a@example.com"',
    'border="1"',
  ]) {
    expect(html).toContain(kept)
  }
  expect(html).not.toMatch(
    /script|on(load|click|error)|<form|<input|<button|<style|<title|http:|data:|iframe|svg|url\(/,
  )
})

test('line breaks in placeholders, names and subjects add no headers', async () => {
  const evil = 'Acme\r\nBcc: victim@example.com\r\n\r\n<b>body</b>'
  await portal.parts.database.pool.query('UPDATE portico.accounts SET name = $1 WHERE id = $2', [evil, member.account])
  const made = await exportWith(
    portal,
    member,
    anEmail({ subject: 'From {{account}}\nX-Evil: 1', fromName: 'Reports\r\nX-Evil: 2' }),
  )
  await attemptNow(portal, member, made._id)
  const [mail] = server.received
  expect(mail?.recipients).toEqual(['ada@example.com', 'bob@example.com'])
  expect(mail?.message.headers.filter(({ key }) => /bcc|x-evil/.test(key))).toEqual([])
  expect(mail?.message.subject).toBe('From Acme Bcc: victim@example.com <b>body</b> X-Evil: 1')
  expect(mail?.message.from).toMatchObject({ name: 'Reports X-Evil: 2', address: 'reports@acme.example' })
})

test('each email is in the audit log with sender, recipients and subject', async () => {
  const made = await exportWith(portal, member, anEmail({ subject: 'Figures of {{name}}' }), { name: 'Audited list' })
  await attemptNow(portal, member, made._id)
  const { rows } = await portal.parts.database.pool.query(
    `SELECT account_id, actor, subject, details FROM portico.audit_log
      WHERE action = 'email sent' AND subject = 'Figures of Audited list'`,
  )
  expect(rows).toEqual([
    {
      account_id: member.account,
      actor: member.email,
      subject: 'Figures of Audited list',
      details: { from: 'reports@acme.example', to: ['ada@example.com', 'bob@example.com'] },
    },
  ])
})

test('each invalid address in a list is named', async () => {
  const notification = anEmail({ to: 'ada@example.com, nobody, x@' })
  const answer = await member.post('/contact-service/v1/notifications/test', { notification })
  expect([answer.status, answer.body]).toMatchObject([
    400,
    { error: { details: [{ field: 'notification.to', message: "'nobody' is invalid!, 'x@' is invalid!" }] } },
  ])
})

/** Submits an import of this file, whose recipients are `to`. */
async function importFor(
  by: Member,
  content: string,
  to: string[],
  name: string,
  changes: Partial<NewImport> = {},
): Promise<Answer> {
  const { url } = (await by.get('/contact-service/v1/uploads/people.csv')).json<{ url: string }>()
  await portal.app.inject({ method: 'PUT', url, payload: content })
  const made = await by.post('/contact-service/v1/imports', {
    name,
    filePath: 'people.csv',
    fileDelimiter: 'comma',
    processBatchSize: 25,
    generatePURL: false,
    purlGenerationScope: 'account',
    dedupHashMatching: false,
    typeCasting: false,
    exportOnImportCompletion: false,
    notificationEmails: to,
    ...changes,
  })
  expect(made.status).toBe(201)
  return made
}

/** The email to a recipient, once it has arrived. The worker also sends emails left over from other tests. */
async function emailTo(recipient: string) {
  const told = () => server.received.find(({ recipients }) => recipients.includes(recipient))
  await expect.poll(told, { timeout: 50_000 }).toBeDefined()
  return told()
}

describe('the recipients of an import', () => {
  test('get an email when a waiting import is cancelled', async () => {
    const by = await portal.member(await portal.account())
    const made = await importFor(by, 'First Name\nAda\n', ['first@example.com'], 'Not wanted')
    const { _id } = made.json<{ _id: string }>()
    expect((await by.put(`/contact-service/v1/imports/${_id}`, { cancel: true })).status).toBe(200)
    await portal.startWorker()
    const email = await emailTo('first@example.com')
    expect(email?.message.subject).toBe('Import cancelled on Portico')
    expect(email?.message.text).toContain('was cancelled by a user.')
  })

  test('get an email with its figures, and its name in quotes without links', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    const recipients = ['boss@example.com', 'ada@example.com']
    await importFor(
      by,
      'First Name,City\nAda,London\nBob\n,\nEve,Paris\n" ",\n',
      recipients,
      `is late.” Your mailbox closes today. Keep it: https://evil.example/0 “`,
    )
    const email = await emailTo('boss@example.com')
    expect(email).toMatchObject({ recipients, message: { subject: 'Import completed on Portico' } })
    const text = email?.message.text ?? ''
    const lines = [
      'New: 2',
      'Rows set aside: 1',
      'Empty rows skipped: 2',
      'The report lists the rows that were set aside, with their lines and reasons. Correct it, and import it again.',
      `See the import and its report:\n${portal.config.publicUrl}/contact-service/imports?account=${own}&import=1\n`,
    ]
    for (const line of lines) expect(text).toContain(line)
    const name =
      "“is late.\u2060' Your mailbox closes today. Keep it: https:\u2060/\u2060/\u2060evil.\u2060example/\u20600 '”"
    expect(text).toMatch(/^An import of contacts on Portico is complete\.\n\nImport: “/)
    for (const body of [text, email?.message.html ?? '']) {
      expect(body).toContain(`Import: ${name}`)
      expect(body).not.toMatch(/https:\/\/evil|evil\.example/)
    }
    // Anyone with the secret may have used an API credential.
    expect(text).not.toContain(by.email)
  })

  test('get one email with the reason of a rejection and a link to its rows', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    await importFor(by, 'First Name,City\nAda\nBob\n', ['second@example.com'], 'Bad rows')
    const email = await emailTo('second@example.com')
    expect(email?.message.subject).toBe('Import rejected on Portico')
    const text = email?.message.text ?? ''
    expect(text).toContain('Import: “Bad rows”')
    expect(text).toMatch(/was rejected\.[^]*Reason: “/)
    const lines = [
      'Rows set aside: 2',
      `See the import and its report:\n${portal.config.publicUrl}/contact-service/imports?account=${own}&import=1\n`,
    ]
    for (const line of lines) expect(text).toContain(line)
    await importFor(by, 'City,City\nBern,Bern\n', ['third@example.com'], 'Bad header')
    expect((await emailTo('third@example.com'))?.message.text).toContain('City')
    expect((await emailTo('third@example.com'))?.message.text).toContain('See the import:\n')
    expect(server.received.filter(({ recipients }) => recipients.includes('second@example.com'))).toHaveLength(1)
  })

  test('get an email with the number of cells set aside, without their values', async () => {
    const by = await portal.member(await portal.account())
    const settings = { typeCasting: true, dedupColumns: ['Name'] }
    await importFor(by, 'Name,Score\nAda,1\n', ['typed@example.com'], 'Scores', settings)
    await emailTo('typed@example.com')
    await importFor(by, 'Name,Score\nAda,secret\nBob,2\n', ['cells@example.com'], 'Odd scores', settings)
    const text = (await emailTo('cells@example.com'))?.message.text
    expect(text).toContain('Cells set aside: 1')
    expect(text).toContain(
      'The report lists the cells that were set aside, with their lines and reasons. Correct it, and',
    )
    const keyless = await portal.member(await portal.account())
    await importFor(keyless, 'Name,Score\nEve,3\n', ['typed2@example.com'], 'Scores', { typeCasting: true })
    await emailTo('typed2@example.com')
    await importFor(keyless, 'Name,Score\nEve,secret\n', ['late@example.com'], 'No key')
    expect((await emailTo('late@example.com'))?.message.text).toContain('Rows with cells set aside are loaded already.')
    const asRows = { ...settings, onMismatch: 'row' as const }
    await importFor(by, 'Name,Score\nEve,secret\n', ['rows@example.com'], 'Odd rows', asRows)
    const rejected = (await emailTo('rows@example.com'))?.message.text
    expect(rejected).toContain('The only row cannot be loaded. Line 2: In Score, a value is not a number.')
    expect([text, rejected].join()).not.toContain('secret')
  })
})

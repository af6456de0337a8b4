import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { createMail, MailRefused, type Message } from './mail.ts'
import { renderEmail } from './email-body.ts'

const body = renderEmail({
  paragraphs: ['Ada & Bob <both> invite you.', 'Grüße'],
  link: { label: 'Accept', url: 'https://portal.example.com/register?invitation=a&b=c' },
  closing: ['It works for 7 days.'],
  sender: 'Example',
})
const message: Message = { to: 'ada@example.com', subject: 'You are invited ✓', ...body }
const settings = { smtpUrl: null, mailFrom: null, company: 'Example, Inc.', publicUrl: 'https://portal.example.com' }

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-mail-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

describe('without a mail server', () => {
  const outbox = () => join(dataDir, 'outbox')
  const files = () => readdir(outbox())
  const read = async (name: string) => PostalMime.parse(await readFile(join(outbox(), name)))

  test('each message is one complete file that only its owner can read', async () => {
    await createMail({ ...settings, dataDir }).send(message)
    const [name = '', ...others] = await files()
    expect(others).toEqual([])
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT[\d-]+\.\d{3}Z-[0-9a-f]{8}\.eml$/)
    expect((await stat(join(outbox(), name))).mode & 0o777).toBe(0o600)
    const { from, to, subject, text, html, messageId, date } = await read(name)
    expect(from).toEqual({ name: 'Example, Inc.', address: 'no-reply@portal.example.com' })
    expect(to).toEqual([{ name: '', address: 'ada@example.com' }])
    expect({ subject, text: text?.trim() }).toEqual({ subject: message.subject, text: message.text.trim() })
    expect(text).toContain('https://portal.example.com/register?invitation=a&b=c')
    expect(html).toContain('Ada &amp; Bob &lt;both&gt; invite you.')
    expect(html).toContain('href="https://portal.example.com/register?invitation=a&amp;b=c"')
    expect(messageId).toBeTruthy()
    expect(date).toBeTruthy()
  })

  test('later messages sort after earlier ones', async () => {
    const mail = createMail({ ...settings, dataDir })
    // File names contain the millisecond.
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const subject of ['first', 'second', 'third']) {
      await mail.send({ ...message, subject })
      vi.setSystemTime(Date.now() + 1)
    }
    vi.useRealTimers()
    const subjects = await Promise.all((await files()).toSorted().map(async (name) => (await read(name)).subject))
    expect(subjects).toEqual(['first', 'second', 'third'])
  })

  test('messages come from MAIL_FROM', async () => {
    const mailFrom = { name: 'The Portal', address: 'portal@example.org' }
    await createMail({ ...settings, mailFrom, dataDir }).send(message)
    const [name = ''] = await files()
    expect((await read(name)).from).toEqual(mailFrom)
  })

  test('invisible and direction characters are escaped in subjects and names', async () => {
    const from = { name: 'Ada\u200b', address: 'ada@example.com' }
    const attachment = { fileName: 'a\u202efdp.exe', contentType: 'text/plain', content: Buffer.from('1') }
    const mail = createMail({ ...settings, dataDir })
    await mail.send({ ...message, from, attachment, subject: 'Invoice \u202egnp.exe' })
    const [name = ''] = await files()
    const sent = await read(name)
    expect(sent.subject).toBe('Invoice \\u202Egnp.exe')
    expect(sent.from?.name).toBe('Ada\\u200B')
    expect(sent.attachments[0]?.filename).toBe('a\\u202Efdp.exe')
  })

  test('no text can add a header or a recipient', async () => {
    const mail = createMail({ ...settings, company: 'Example\r\nBcc: eve@example.com', dataDir })
    await mail.send({ ...message, subject: 'Hello\r\nBcc: eve@example.com\r\n\r\nText' })
    const [name = ''] = await files()
    const { subject, bcc, to, from } = await read(name)
    expect({ subject, bcc }).toEqual({ subject: 'Hello Bcc: eve@example.com Text', bcc: undefined })
    expect(from?.name).toBe('Example Bcc: eve@example.com')
    expect(to).toHaveLength(1)
    for (const to of ['a@example.com, eve@example.com', 'a@b.com\nBcc: eve@example.com', '<a@b.com>', 'nobody', '']) {
      await expect(mail.send({ ...message, to })).rejects.toThrow(MailRefused)
    }
    expect(await files()).toHaveLength(1)
  })
})

describe('with a mail server', () => {
  let server: MailServer

  beforeAll(async () => {
    server = await startMailServer()
  })
  afterAll(() => server.close())

  test('messages are sent through it', async () => {
    await createMail({ ...settings, smtpUrl: server.url, dataDir }).send({ ...message, to: ['a@b.com', 'c@d.com'] })
    const [arrived] = server.received
    expect(arrived?.recipients).toEqual(['a@b.com', 'c@d.com'])
    expect(arrived?.message).toMatchObject({ subject: message.subject, from: { name: 'Example, Inc.' } })
    expect(await readdir(dataDir)).toEqual([])
  })

  test('each message is sent to exactly the address behind its key: ASCII domain, composed local part', async () => {
    const mail = createMail({ ...settings, smtpUrl: server.url, dataDir })
    const sent = {
      'Ada@MÜNCHEN.example': 'Ada@xn--mnchen-3ya.example',
      'ceo@İnfo.example': 'ceo@xn--info-qwc.example',
      'İstanbul@x.example': 'İstanbul@x.example',
      'jose\u0301@mu\u0308nchen.example': 'josé@xn--mnchen-3ya.example',
      'σας@ΣΑΣ.example': 'σας@xn--mxa9ab.example',
      'a@STRASSE.example': 'a@strasse.example',
      'a@straße.example': 'a@xn--strae-oqa.example',
      // The domain does not become punycode: a library that decodes it would send the email elsewhere.
      'é@xn--nfo-8ya41b.example': 'é@xn--nfo-8ya41b.example',
    }
    const addresses = Object.keys(sent)
    server.addressed.to.length = 0
    for (const to of addresses) await mail.send({ ...message, to })
    expect(server.addressed.to).toEqual(Object.values(sent))
    server.addressed.to.length = 0
    const author = { name: 'Ada', address: 'Ada@MÜNCHEN.example' }
    await mail.send({ ...message, from: author, to: addresses })
    expect(server.addressed.to).toEqual(Object.values(sent))
    // Bounces go to the portal, not to the author.
    expect(server.addressed.from.at(-1)).toBe('no-reply@portal.example.com')
    expect(server.received.at(-1)?.message.from).toEqual({ name: 'Ada', address: 'Ada@xn--mnchen-3ya.example' })
  })

  test.each(['a@example.com.', 'a@127.0.0.1', 'a\u202Eb@example.com', 'a@exa\u00ADmple.com', '"a"@example.com'])(
    '%j is refused',
    async (to) => {
      const mail = createMail({ ...settings, smtpUrl: server.url, dataDir })
      server.received.length = 0
      await expect(mail.send({ ...message, to })).rejects.toThrow(MailRefused)
      expect(server.received).toEqual([])
    },
  )

  test('permanent refusals are distinguished from temporary ones, and never quoted', async () => {
    const mail = createMail({ ...settings, smtpUrl: server.url, dataDir })
    const failure = () => mail.send(message).catch((error: unknown) => error)
    server.refuse({ code: 550, message: 'No such person' })
    expect(await failure()).toBeInstanceOf(MailRefused)
    server.refuse({ code: 451, message: 'Try later' })
    const later = await failure()
    expect(later).toBeInstanceOf(Error)
    expect(later).not.toBeInstanceOf(MailRefused)
    expect(String(later)).toContain('Try later')
    expect(JSON.stringify({ ...(later as object) }) + String(later)).not.toContain('invitation')
    server.refuse(null)
    await mail.send(message)
  })

  test('a failed connection is a temporary failure', async () => {
    const gone = await startMailServer()
    await gone.close()
    const failure = await createMail({ ...settings, smtpUrl: gone.url, dataDir })
      .send(message)
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(MailRefused)
  })
})

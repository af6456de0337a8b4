import type { NotificationInput } from '@portico/contract/notifications'
import type { Sender, Senders } from '@portico/contract/senders'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addCredential, identityOf } from '#test/resources/access.ts'
import { groupId } from '#test/kit/administration.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryOf, exportWith } from '#test/resources/deliveries.ts'
import { exportDraft, exportsPath } from '#test/resources/exports.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { sendMailLimit } from './mail-limit.service.ts'
import { sendSenderLink } from './senders.service.ts'

const path = '/contact-service/v1/senders'
const linkPath = '/contact-service/v1/sender-links'
let portal: TestPortal
let server: MailServer
let owner: Member
let accountName = ''
let accounts = 0

beforeAll(async () => {
  server = await startMailServer()
  portal = await startPortal({ smtpUrl: server.url, mailSenderDomains: ['trusted.example'], mailDailyLimit: 10 })
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
const list = async (by = owner) => (await by.get(path)).json<Senders>()

/** Requests an address, sends its email as the worker does, and returns the sender and the secret of the link. */
async function requested(address: string, by = owner): Promise<{ sender: Sender; link: string }> {
  const answer = await by.post(path, { address })
  expect(answer).toMatchObject({ status: 202 })
  const sender = answer.json<Sender>()
  await sendSenderLink(portal.parts, { account: by.account, senderId: sender._id })
  const text = server.received.findLast(({ recipients }) => recipients.includes(sender.address))?.message.text
  return { sender, link: /\/confirm-sender#link=([\w-]{43})\n/.exec(text ?? '')?.[1] ?? '' }
}

const confirm = (link: string) => portal.anonymous.post(`${linkPath}/confirm`, { link })

async function verified(address: string): Promise<Sender> {
  const { sender, link } = await requested(address)
  expect((await confirm(link)).status).toBe(200)
  return sender
}

const anEmail = (from: string, to = 'ada@example.com'): NotificationInput => ({
  type: 'email',
  from,
  fromName: 'The Boss',
  to,
  subject: 'Ready',
  htmlBody: '<p>{{url}}</p>',
})
const save = (from: string) => owner.post(exportsPath, exportDraft(['Name'], { notifications: [anEmail(from)] }))

describe('a sender', () => {
  test('is verified once, by the link in an email to its address', async () => {
    const { link } = await requested('News@Acme.example')
    const mail = server.received[0]?.message
    expect(mail?.subject).toBe('Confirm news@acme.example as a sender on Portico')
    expect(mail?.text).toMatch(/^An account on Portico asks to send emails from news@acme.example\.\n\nAccount: “Acme/)
    expect(mail?.text).toContain(`Account: “${accountName}”\nRequested by: “${owner.email}”`)
    expect((await list()).senders).toMatchObject([{ address: 'news@acme.example', state: 'waiting', verifiedAt: null }])

    const read = await portal.anonymous.post(linkPath, { link })
    expect(read.body).toEqual({ address: 'news@acme.example', account: accountName, requestedBy: owner.email })
    expect((await list()).senders).toMatchObject([{ state: 'waiting' }])
    expect((await confirm(link)).body).toEqual({ address: 'news@acme.example', account: accountName })
    expect((await list()).senders).toMatchObject([{ state: 'verified', requestedBy: owner.email }])
    for (const used of [await confirm(link), await portal.anonymous.post(linkPath, { link })]) {
      expect(used).toMatchObject({ status: 403, body: { error: { code: 'link_invalid' } } })
    }
    const { rows } = await query(
      `SELECT action, actor, subject FROM portico.audit_log WHERE account_id = $1 AND action LIKE 'sender%' ORDER BY at`,
      owner.account,
    )
    expect(rows).toEqual([
      { action: 'sender requested', actor: owner.email, subject: 'news@acme.example' },
      { action: 'sender verified', actor: 'news@acme.example', subject: 'news@acme.example' },
    ])
  })

  test('is requested in the name of a person only from a session of their own', async () => {
    const { authorization } = await addCredential(portal, await identityOf(portal, owner))
    const program = { ...owner, ...portal.asking({ authorization }) }
    const { link } = await requested('news@acme.example', program)
    const by = `An API credential of ${owner.email}`
    expect(server.received[0]?.message.text).toContain(`Requested by: “${by}”`)
    expect((await portal.anonymous.post(linkPath, { link })).body).toMatchObject({ requestedBy: by })
  })

  test('is stored only with the hash of its secret', async () => {
    const { link } = await requested('news@acme.example')
    const { rows } = await query(`SELECT s::text AS row FROM portico.mail_senders s`)
    const jobs = await query(`SELECT data::text AS row FROM jobs.job WHERE name = 'send-sender-link'`)
    expect(link).toHaveLength(43)
    expect(JSON.stringify([rows, jobs.rows])).not.toContain(link)
  })

  test('has one link, ended by another email, after a week, by removal and by suspension', async () => {
    const { sender, link: first } = await requested('news@acme.example')
    await sendSenderLink(portal.parts, { account: owner.account, senderId: sender._id })
    const link = /#link=([\w-]{43})/.exec(server.received[1]?.message.text ?? '')?.[1] ?? ''
    expect((await confirm(first)).status).toBe(403)
    await query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', owner.account)
    expect((await confirm(link)).status).toBe(403)
    await query('UPDATE portico.accounts SET suspended_at = NULL WHERE id = $1', owner.account)
    await query(`UPDATE portico.mail_senders SET expires_at = expires_at - interval '7 days 1 second'`)
    expect((await confirm(link)).status).toBe(403)
    await query(`UPDATE portico.mail_senders SET expires_at = now() + interval '1 day'`)
    expect((await owner.delete(`${path}/${sender._id}`)).status).toBe(200)
    expect((await confirm(link)).status).toBe(403)
  })

  test('is verified by only one of two simultaneous clicks', async () => {
    const { link } = await requested('news@acme.example')
    const answers = await Promise.all([confirm(link), confirm(link)])
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 403])
  })

  test('belongs to its account, and only administrators can request and remove it', async () => {
    const sender = await verified('news@acme.example')
    const stranger = await portal.member(await portal.account())
    expect((await list(stranger)).senders).toEqual([])
    expect((await stranger.delete(`${path}/${sender._id}`)).status).toBe(404)
    const member = await portal.member(owner.account, 'contact-service::exports::post')
    expect((await member.get(path)).status).toBe(200)
    expect((await member.post(path, { address: 'b@acme.example' })).status).toBe(403)
    expect((await member.delete(`${path}/${sender._id}`)).status).toBe(403)
    expect((await owner.delete(`${path}/none`)).status).toBe(404)
  })

  test('must be an address, and is emailed at most once a minute and 20 times a day', async () => {
    expect(await owner.post(path, { address: 'a@b, c@d' })).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'address', message: 'Invalid email or format given' }] } },
    })
    await requested('news@acme.example')
    expect((await owner.post(path, { address: 'news@acme.example' })).status).toBe(429)
    for (let number = 2; number <= 20; number++) await owner.post(path, { address: `n${number}@acme.example` })
    expect((await list()).senders).toHaveLength(20)
    expect((await owner.post(path, { address: 'n21@acme.example' })).body).toMatchObject({
      error: { code: 'too_many_requests', message: expect.stringContaining('At most 20') as string },
    })
    expect((await list()).senders).toHaveLength(20)
  })

  test('that is removed and requested again is still emailed at most once a minute', async () => {
    const { sender } = await requested('news@acme.example')
    expect((await owner.delete(`${path}/${sender._id}`)).status).toBe(200)
    expect(await owner.post(path, { address: 'News@acme.example' })).toMatchObject({
      status: 429,
      body: { error: { message: 'A mail was sent to this address a moment ago. Wait a minute.' } },
    })
    expect((await list()).senders).toEqual([])
    await query(
      `UPDATE portico.audit_log SET at = at - interval '1 minute' WHERE account_id = $1 AND action = 'sender requested'`,
      owner.account,
    )
    await requested('news@acme.example')
  })

  test('that is verified cannot be requested again', async () => {
    await verified('news@acme.example')
    expect((await owner.post(path, { address: 'NEWS@acme.example' })).status).toBe(409)
  })
})

describe('a notification', () => {
  test('can be saved with a verified sender, one of a listed domain or the portal itself', async () => {
    const message = 'news@acme.example is not a verified sender. A power user can verify it in Preferences.'
    expect((await save('news@acme.example')).body).toMatchObject({
      error: { code: 'invalid_input', details: [{ field: 'notifications.0.from', message }] },
    })
    await verified('news@acme.example')
    expect((await save('News@acme.example')).status).toBe(201)
    expect((await save('anyone@trusted.example')).status).toBe(201)
    expect((await save('anyone@sub.trusted.example')).status).toBe(400)
    expect((await save('trusted.example@evil.example')).status).toBe(400)
    const { ownAddress } = await list()
    expect(ownAddress).toBe('no-reply@localhost')
    expect((await save(ownAddress)).status).toBe(201)
  })

  test('cannot be tested with an unverified sender', async () => {
    const answer = await owner.post('/contact-service/v1/notifications/test', { notification: anEmail('a@b.example') })
    expect(answer.body).toMatchObject({ error: { details: [{ field: 'notification.from' }] } })
    expect(server.received).toEqual([])
  })

  test('is sent from its sender', async () => {
    await verified('news@acme.example')
    const made = await exportWith(portal, owner, anEmail('news@acme.example'))
    expect(await attemptNow(portal, owner, made._id)).toMatchObject({
      status: 'completed',
      result: 'Accepted by the mail server for 1 address.',
    })
    expect(server.received.at(-1)?.message.from).toMatchObject({ address: 'news@acme.example', name: 'The Boss' })
  })

  test('fails once its sender is removed, until it is verified again', async () => {
    const sender = await verified('news@acme.example')
    const made = await exportWith(portal, owner, anEmail('news@acme.example'))
    expect((await owner.delete(`${path}/${sender._id}`)).status).toBe(200)
    expect((await list()).senders).toEqual([])
    expect(await attemptNow(portal, owner, made._id)).toMatchObject({
      status: 'rejected',
      result: 'Not sent: news@acme.example was removed from the verified senders of this account.',
    })
    await query(`UPDATE portico.mail_senders SET requested_at = requested_at - interval '2 minutes'`)
    await query(`UPDATE portico.mail_senders SET removed_at = removed_at - interval '2 minutes'`)
    await verified('news@acme.example')
    await owner.post(`${exportsPath}/${made._id}/deliveries/${(await deliveryOf(owner, made._id))._id}/resend`)
    expect(await attemptNow(portal, owner, made._id)).toMatchObject({ status: 'completed' })
  })
})

describe('the daily number of emails', () => {
  const five = 'a@example.com, b@example.com, c@example.com, d@example.com, e@example.com'
  const sent = async () => {
    const { rows } = await query(
      `SELECT sent FROM portico.mail_counts WHERE account_id = $1 AND kind = 'email'`,
      owner.account,
    )
    return (rows as { sent: number }[])[0]?.sent ?? 0
  }
  const attempt = async (to: string) => {
    const made = await exportWith(portal, owner, anEmail('anyone@trusted.example', to))
    return attemptNow(portal, owner, made._id)
  }

  test('counts recipients; beyond it deliveries fail, and power users are notified once', async () => {
    expect((await attempt(five)).status).toBe('completed')
    expect((await attempt(five)).status).toBe('completed')
    for (let time = 0; time < 2; time++) {
      expect(await attempt('f@example.com')).toMatchObject({
        status: 'rejected',
        result: 'Not sent: the account has reached its 10 emails a day. Resend it tomorrow.',
      })
    }
    expect(server.received).toHaveLength(2)
    const jobs = await query(
      `SELECT data FROM jobs.job WHERE name = 'send-mail-limit' AND (data->>'account')::integer = $1`,
      owner.account,
    )
    const [job] = jobs.rows as { data: { account: number; day: string } }[]
    expect(jobs.rows).toHaveLength(1)
    // Invited people get no email: they have not accepted yet.
    const invitation = { email: 'invited@example.com', groups: [await groupId(owner, 'Power users')] }
    expect(await owner.post('/identity/v1/identities', invitation)).toMatchObject({ status: 201 })
    await sendMailLimit(portal.parts, job?.data ?? { account: 0, day: '' })
    expect(server.received.slice(2)).toMatchObject([
      { recipients: [owner.email], message: { subject: `Daily number of emails reached in “${accountName}”` } },
    ])
    expect(await sent()).toBe(10)
  })

  test('is exact under concurrent deliveries', async () => {
    const made = []
    for (let number = 0; number < 4; number++) {
      made.push(
        await exportWith(
          portal,
          owner,
          anEmail('anyone@trusted.example', 'a@example.com, b@example.com, c@example.com'),
        ),
      )
    }
    const ended = await Promise.all(made.map(({ _id }) => attemptNow(portal, owner, _id)))
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['completed', 'completed', 'completed', 'rejected'])
    expect(await sent()).toBe(9)
  })

  test('does not count emails that the mail server did not accept', async () => {
    server.refuse({ code: 451, message: 'later' })
    expect((await attempt(five)).status).toBe('recovery')
    server.refuse(null)
    expect(await sent()).toBe(0)
  })

  test('restarts the next day, and old counts are deleted', async () => {
    await attempt(five)
    await attempt(five)
    await query(`UPDATE portico.mail_counts SET day = day - 8 WHERE account_id = $1`, owner.account)
    expect((await attempt(five)).status).toBe('completed')
    const { rows } = await query('SELECT sent FROM portico.mail_counts WHERE account_id = $1', owner.account)
    expect(rows).toEqual([{ sent: 5 }])
  })

  test('is separate for each account', async () => {
    await attempt(five)
    await attempt(five)
    owner = await portal.member(await portal.account())
    await addContacts(portal.parts.database, owner.account, { Name: 'string' }, [{ Name: 'Ada' }])
    expect((await attempt(five)).status).toBe('completed')
  })
})

test('a worker killed after sending the email sends another, whose link replaces the first', async () => {
  const { sender, link: first } = await requested('news@acme.example')
  const killed = {
    send: async (message: Parameters<typeof portal.parts.mail.send>[0]) => {
      await portal.parts.mail.send(message)
      throw new Error('killed')
    },
  }
  const data = { account: owner.account, senderId: sender._id }
  await expect(sendSenderLink({ ...portal.parts, mail: killed }, data)).rejects.toThrow('killed')
  await sendSenderLink(portal.parts, data)
  const links = server.received.map(({ message }) => /#link=([\w-]{43})/.exec(message.text ?? '')?.[1] ?? '')
  expect(links[0]).toBe(first)
  const statuses = await Promise.all(
    links.map(async (link) => (await portal.anonymous.post(linkPath, { link })).status),
  )
  expect(statuses).toEqual([403, 403, 200])
})

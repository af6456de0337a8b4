import type { Action } from '@portico/contract/route'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { runExport } from '#exports'
import { signedLinks } from '../src/modules/files/signed-links.ts'
import { addCredential, identityOf, linkOf } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { createExport, endedExport, exportDraft } from '#test/resources/exports.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type S3Server, startS3 } from '#test/stand-ins/s3-server.ts'

// A signed link to a file works only while its account is active and its creator holds the right it was created with.

const service = '/contact-service/v1'
let portal: TestPortal
let server: MailServer
let account: number
let owner: Member
let exportId: string
let importId: string

const query = (sql: string, ...values: unknown[]) => portal.parts.database.pool.query(sql, values)
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '')
const urlOf = async (client: Client, path: string) => (await client.get(path)).json<{ url: string }>().url
const fetched = async (url: string) => (await portal.app.inject(pathOf(url))).statusCode
const sent = async (url: string) =>
  (await portal.app.inject({ method: 'PUT', url: pathOf(url), payload: 'Name,City\nAda,London\nBob\n' })).statusCode

beforeAll(async () => {
  server = await startMailServer()
  portal = await startPortal({ smtpUrl: server.url, mailFrom: { name: null, address: 'portal@example.com' } })
  account = await portal.account()
  owner = await portal.member(account)
  await addContacts(portal.parts.database, account, { Name: 'string' }, [{ Name: 'Ada' }])
  exportId = (await createExport(owner, exportDraft(['Name'])))._id
  await runExport(portal.parts, account, exportId, new AbortController().signal)
  await portal.startWorker()
  importId = await importWithBadRow()
})
beforeEach(() => query('UPDATE portico.accounts SET suspended_at = NULL'))
afterAll(async () => {
  await portal.close()
  await server.close()
})

async function importWithBadRow(): Promise<string> {
  await sent(await urlOf(owner, `${service}/uploads/people.csv`))
  const made = await owner.post(`${service}/imports`, {
    name: 'People with a short row',
    filePath: 'people.csv',
    fileDelimiter: 'comma',
    processBatchSize: 25,
    generatePURL: false,
    purlGenerationScope: 'account',
    dedupHashMatching: false,
    typeCasting: false,
    exportOnImportCompletion: false,
  })
  const id = made.json<{ _id: string }>()._id
  const status = async () => (await owner.get(`${service}/imports/${id}`)).json<{ status: string }>().status
  await vi.waitFor(async () => expect(await status()).toBe('completed'), { timeout: 30_000, interval: 50 })
  return id
}

/** Returns the link in the email about an export of this member. */
async function deliveredLink(by: Member): Promise<string> {
  const email = {
    type: 'email' as const,
    from: 'portal@example.com',
    to: `${by.email.split('@')[0]}@partner.example`,
    subject: 'Ready',
    htmlBody: '<a href="{{url}}">Download</a>',
    textBody: 'Download: {{url}}',
  }
  await createExport(by, exportDraft(['Name'], { notifications: [email] }))
  const message = () => server.received.find(({ recipients }) => recipients.includes(email.to))?.message
  await expect.poll(message, { timeout: 30_000 }).toBeDefined()
  return /Download: (\S+)/.exec(message()?.text ?? '')?.[1] ?? ''
}

type Kind = {
  name: string
  rights: Action[]
  link: (by: Member) => Promise<string>
  use: (url: string) => Promise<number>
}

const kinds: Kind[] = [
  {
    name: 'to the file of an export',
    rights: ['contact-service::downloads::get'],
    link: (by) => urlOf(by, `${service}/downloads/${exportId}.csv`),
    use: fetched,
  },
  {
    name: 'to a file of Downloads',
    rights: ['contact-service::downloads::get'],
    link: (by) => urlOf(by, `${service}/downloads/files/export-${exportId}`),
    use: fetched,
  },
  {
    name: 'to rows set aside',
    rights: ['contact-service::imports::get'],
    link: (by) => urlOf(by, `${service}/imports/${importId}/set-aside`),
    use: fetched,
  },
  {
    name: 'of a delivery',
    rights: ['contact-service::exports::post', 'contact-service::exports::get'],
    link: deliveredLink,
    use: fetched,
  },
  {
    name: 'for an upload',
    rights: ['contact-service::uploads::get'],
    link: (by) => urlOf(by, `${service}/uploads/more.csv`),
    use: sent,
  },
]

const losses: { name: string; lose: (identity: string) => Promise<unknown> }[] = [
  { name: 'the account is suspended', lose: () => query('UPDATE portico.accounts SET suspended_at = now()') },
  {
    name: 'their identity is disabled',
    lose: (identity) => query('UPDATE portico.identities SET is_disabled = true WHERE id = $1', identity),
  },
  {
    name: 'they lose the policy',
    lose: (identity) => query('DELETE FROM portico.identity_groups WHERE identity_id = $1', identity),
  },
  {
    name: 'they leave the account',
    lose: async (identity) => {
      await query('DELETE FROM portico.identity_groups WHERE identity_id = $1', identity)
      await query('DELETE FROM portico.identities WHERE id = $1', identity)
    },
  },
]

describe.each(kinds)('a link $name', ({ rights, link, use }) => {
  test.each(losses)('ends when $name', async ({ lose }) => {
    const by = await portal.member(account, ...rights)
    const url = await link(by)
    // An upload works once.
    expect(use === sent ? 200 : await fetched(url)).toBe(200)
    await lose(await identityOf(portal, by))
    expect(await use(url)).toBe(403)
  })

  test('works while its creator has the right', async () => {
    expect(await use(await link(await portal.member(account, ...rights)))).toBe(200)
  })
})

const fileOf = (client: Client) => urlOf(client, `${service}/downloads/${exportId}.csv`)

test('a link made through an impersonation link ends when that is revoked', async () => {
  const guest = portal.holder(await linkOf(owner))
  const url = await fileOf(guest)
  expect(await fetched(url)).toBe(200)
  const [live] = (await owner.get('/identity/v1/impersonations')).json<{ _id: string }[]>()
  expect((await owner.delete(`/identity/v1/impersonations/${live?._id}`)).status).toBe(204)
  expect(await fetched(url)).toBe(403)
})

test('a link made by a program ends with the right of its identity', async () => {
  const by = await portal.member(account, 'contact-service::downloads::get')
  const identity = await identityOf(portal, by)
  const url = await fileOf(portal.asking({ authorization: (await addCredential(portal, identity)).authorization }))
  expect(await fetched(url)).toBe(200)
  await query('UPDATE portico.identities SET is_disabled = true WHERE id = $1', identity)
  expect(await fetched(url)).toBe(403)
})

test('a link made with an API credential ends when its identity is handed over to another person', async () => {
  const by = await portal.member(account, 'contact-service::downloads::get')
  const identity = await identityOf(portal, by)
  const url = await fileOf(portal.asking({ authorization: (await addCredential(portal, identity)).authorization }))
  expect(await fetched(url)).toBe(200)
  await query(
    'UPDATE portico.identities SET person_id = (SELECT id FROM portico.persons WHERE email = $2) WHERE id = $1',
    identity,
    (await portal.member(await portal.account())).email,
  )
  expect(await fetched(url)).toBe(403)
})

test('a link to the exported audit log ends when its creator is no longer an administrator', async () => {
  const by = await portal.member(account)
  const { url } = (await by.post('/identity/v1/audit/exports', {})).json<{ url: string }>()
  expect(await fetched(url)).toBe(200)
  await query('DELETE FROM portico.identity_groups WHERE identity_id = $1', await identityOf(portal, by))
  expect(await fetched(url)).toBe(403)
})

test('links respect conditions of policies, but not limits of days, hours and networks', async () => {
  const by = await portal.member(account, 'contact-service::downloads::get')
  const url = await fileOf(by)
  const identity = await identityOf(portal, by)
  await query(`UPDATE portico.identities SET cidr = '203.0.113.0/24' WHERE id = $1`, identity)
  expect(await fetched(url)).toBe(200)
  await query(
    `UPDATE portico.policies SET conditions = $2 WHERE id IN (SELECT policy_id FROM portico.group_policies gp
      JOIN portico.identity_groups ig ON ig.group_id = gp.group_id WHERE identity_id = $1)`,
    identity,
    ['params::file::eq::another.csv'],
  )
  expect(await fetched(url)).toBe(403)
})

test('a grant cannot be replaced or removed', async () => {
  const by = await portal.member(account, 'contact-service::downloads::get')
  const [mine, theirs] = [await fileOf(by), await fileOf(owner)]
  const grantOf = (url: string) => /grant=[^&]+/.exec(url)?.[0] ?? ''
  expect(await fetched(mine.replace(grantOf(mine), grantOf(theirs)))).toBe(403)
  expect(await fetched(mine.replace(`${grantOf(mine)}&`, ''))).toBe(403)
})

test('a link of an earlier release, without a creator, ends only with its account', async () => {
  const links = signedLinks(portal.config)
  const { rows } = await query(`SELECT file_key FROM account_${account}.exports WHERE id = $1`, exportId)
  const url = links.make('GET', (rows[0] as { file_key: string }).file_key, { expiresInSeconds: 60 })
  expect(await fetched(url)).toBe(200)
  await query('UPDATE portico.accounts SET suspended_at = now()')
  expect(await fetched(url)).toBe(403)
})

test('a delivery whose creator has lost the right fails with the reason', async () => {
  const by = await portal.member(account, 'contact-service::exports::post', 'contact-service::exports::get')
  await deliveredLink(by)
  const [made] = (await owner.get(`${service}/exports?limit=1`)).json<{ _id: string }[]>()
  const path = `${service}/exports/${made?._id}/deliveries`
  const delivery = async () => (await owner.get(path)).json<{ _id: string; status: string; result: string }[]>()[0]
  await expect.poll(async () => (await delivery())?.status).toBe('completed')
  await query('UPDATE portico.identities SET is_disabled = true WHERE id = $1', await identityOf(portal, by))
  expect((await owner.post(`${path}/${(await delivery())?._id}/resend`)).status).toBe(200)
  await expect.poll(async () => (await delivery())?.status, { timeout: 30_000 }).toBe('rejected')
  expect((await delivery())?.result).toContain(`${by.email} no longer has the right`)
})

describe('with a bucket', () => {
  let s3: S3Server
  let bucketed: TestPortal
  beforeAll(async () => {
    s3 = await startS3()
    bucketed = await startPortal({ s3: s3.s3 })
    await bucketed.startWorker()
  })
  afterAll(async () => {
    await bucketed.close()
    await s3.stop()
  })

  test('a link to a file redirects to the bucket for a minute, and only while its creator has the right', async () => {
    const place = await bucketed.account()
    const by = await bucketed.member(place)
    await addContacts(bucketed.parts.database, place, { Name: 'string' }, [{ Name: 'Ada' }])
    const { _id } = await endedExport(by, (await createExport(by, exportDraft(['Name'])))._id)
    const url = await urlOf(by, `${service}/downloads/${_id}.csv`)
    const reply = await bucketed.app.inject(url)
    expect(reply.statusCode).toBe(302)
    expect(reply.headers['location']).toContain('X-Amz-Expires=60&')
    expect(await (await fetch(reply.headers['location'] ?? '')).text()).toBe('Name\nAda\n')
    await bucketed.parts.database.pool.query('UPDATE portico.identities SET is_disabled = true')
    expect((await bucketed.app.inject(url)).statusCode).toBe(403)
  })
})

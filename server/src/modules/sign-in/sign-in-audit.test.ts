import type { AuditEntry } from '@portico/contract/audit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCredential, identityOf } from '#test/resources/access.ts'
import { enter } from '#test/kit/administration.ts'
import { type Client, type Member, startPortal, type TestPortal, testPassword } from '#test/kit/portal.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let portal: TestPortal
let admin: Member
let owner: Member
let stranger: Member

beforeAll(async () => {
  portal = await startPortal()
  admin = await portal.powerAdmin()
  owner = await portal.member(await portal.account())
  stranger = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const from = (address: string, token?: string): Client =>
  portal.asking({ 'user-agent': firefox, ...(token && { authorization: `Bearer ${token}` }) }, address)

async function entries(client: Client, query: Record<string, string>): Promise<Partial<AuditEntry>[]> {
  const answer = await client.get(`/identity/v1/audit?${new URLSearchParams(query).toString()}`)
  return answer.json<AuditEntry[]>().map(({ action, actor, address, details, account, via, count }) => ({
    action,
    actor,
    address,
    details,
    account,
    via,
    count,
  }))
}
const everywhere = (what: string) => entries(admin, { everywhere: 'true', what })

describe('the audit log holds', () => {
  test('sign-ins for power admins, and entered accounts for their power users, with address and device', async () => {
    const member = await portal.member(owner.account, 'contact-service::imports::get')
    const browser = from('192.0.2.10')
    const { token } = (await browser.post('/identity/v1/login', { email: member.email, password: testPassword })).json<{
      token: string
    }>()
    const account = owner.account
    const entered = await from('192.0.2.10', token).get(`/identity/v1/login/${account}`)
    await from('192.0.2.10', token).get(`/identity/v1/login/${account}`)
    await from('192.0.2.10', entered.json<{ token: string }>().token).post('/identity/v1/logout')

    const facts = { actor: member.email, address: '192.0.2.10', details: { device: 'Firefox on Linux' } }
    expect(await everywhere('signed in')).toContainEqual({
      ...facts,
      action: 'signed in',
      account: null,
      via: 'sign-in',
      count: 1,
    })
    expect(await entries(owner, { who: member.email, what: 'signed in' })).toEqual([])
    const ofAccount = (await entries(owner, { who: member.email })).filter(({ address }) => address === facts.address)
    const [last, ...before] = ofAccount
    expect(last).toEqual({ ...facts, action: 'signed out', account, via: 'session', count: 1 })
    for (const line of before) {
      expect(line).toEqual({ ...facts, action: 'account entered', account, via: 'session', count: expect.any(Number) })
    }
    // Two entries if a minute ended in between.
    expect(before.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(2)
    expect(await entries(stranger, { who: member.email })).toEqual([])
  })

  test('failed sign-ins, repeated ones within a minute as one line with a count, for known and unknown emails', async () => {
    const guess = (email: string) => from('192.0.2.20').post('/identity/v1/login', { email, password: 'wrong' })
    const answers = []
    for (const email of ['Ghost@Example.com', owner.email]) {
      for (let index = 0; index < 3; index++) answers.push((await guess(email)).body)
    }
    expect(new Set(answers.map((body) => JSON.stringify(body))).size).toBe(1)
    await guess('correct horse')
    const failed = (await everywhere('sign-in failed')).filter(({ address }) => address === '192.0.2.20')
    expect(new Set(failed.map(({ actor }) => actor))).toEqual(
      new Set(['ghost@example.com', owner.email, '(not an email)']),
    )
    for (const actor of ['ghost@example.com', owner.email]) {
      const lines = failed.filter((line) => line.actor === actor)
      // Two entries if a minute ended in between.
      expect(lines.length).toBeLessThanOrEqual(2)
      expect(lines.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(3)
      expect(lines[0]).toMatchObject({
        details: { device: 'Firefox on Linux', reason: 'The email or password is wrong.' },
        account: null,
        via: 'sign-in',
      })
    }
    expect(await entries(owner, { what: 'sign-in failed' })).toEqual([])
  })

  test('wrong passwords in a session, like failed sign-ins', async () => {
    const member = await portal.member(owner.account)
    for (let index = 0; index < 3; index++) {
      const reply = await member.post('/identity/v1/profile/given-password', { password: 'wrong' })
      expect(reply).toMatchObject({ status: 400 })
    }
    const lines = (await everywhere('password refused')).filter(({ actor }) => actor === member.email)
    expect(lines.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(3)
    expect(lines[0]).toMatchObject({ account: null, via: 'session', address: '127.0.0.1' })
    expect(await entries(owner, { what: 'password refused' })).toEqual([])
  })

  test('refused calls, in the log of their account', async () => {
    const reader = await portal.member(owner.account, 'contact-service::imports::get')
    for (let index = 0; index < 4; index++) {
      expect(await reader.get('/contact-service/v1/exports')).toMatchObject({ status: 403 })
    }
    const lines = await entries(owner, { who: reader.email, what: 'call refused' })
    expect(lines.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(4)
    expect(lines[0]).toMatchObject({ account: owner.account, via: 'session', address: '127.0.0.1' })
    const [entry] = (
      await owner.get(`/identity/v1/audit?${new URLSearchParams({ who: reader.email, what: 'exports' }).toString()}`)
    ).json<AuditEntry[]>()
    expect(entry?.subject).toBe('GET /api/contact-service/v1/exports')
    expect(await entries(stranger, { what: 'call refused' })).toEqual([])
    expect(await entries(await enter(portal, admin, owner.account), { who: reader.email })).not.toEqual([])
  })

  test('refused API credentials by their access key, without anything else that was sent', async () => {
    const key = await addCredential(portal, await identityOf(portal, owner))
    const wrong = (text: string) =>
      portal
        .asking({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
        .get('/contact-service/v1/offers')
    await wrong(`${key.accessKey}:nope`)
    await wrong('my secret:nope')
    const lines = await everywhere('API credential refused')
    expect(new Set(lines.map(({ actor }) => actor))).toEqual(new Set(['(not an access key)', key.accessKey]))
    expect(lines[0]).toMatchObject({ via: 'credential', details: { reason: expect.stringContaining('is wrong') } })
  })
})

import type { RemoteAccessTrialResult } from '@portico/contract/remote-access'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, addAccess, newAccess } from '#test/resources/remote-accesses.ts'

const shop = 'https://shop.example.com'

let portal: TestPortal
let member: Member
let id: string

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  const account = await portal.account()
  await addContacts(portal.parts.database, account, { Email: 'string', City: 'string' }, [
    { Email: 'ada@example.com', City: 'London' },
    { Email: 'eve@example.com', City: 'Paris' },
    { Email: 'tom@example.com', City: 'Paris' },
  ])
  member = await portal.member(account)
  id = (await addAccess(member, { publicColumns: 'City' }))._id
})
afterAll(() => portal.close())

async function trial(body: Record<string, unknown>): Promise<RemoteAccessTrialResult> {
  const answer = await member.post(`${accessPath}/trial`, { query: { Email: 'ada@example.com' }, ...body })
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<RemoteAccessTrialResult>()
}

describe('a trial', () => {
  test('shows what the page would get', async () => {
    expect(await trial({ origin: shop })).toEqual({
      status: 200,
      offer: { City: 'London' },
      refusal: null,
      text: 'The caller gets this contact.',
      accessId: id,
    })
    expect(await trial({ origin: `${shop}/summer?x=1` })).toMatchObject({ status: 200 })
  })

  test.each([
    [{ origin: 'shop.example.com' }, 'invalid_origin'],
    [{ origin: 'http://shop.example.com' }, 'insecure_origin'],
    [{ origin: 'https://evil.io' }, 'origin_not_allowed'],
    [{ address: '203.0.113.7' }, 'address_not_allowed'],
    [{ origin: shop, query: { City: 'London' } }, 'other_columns'],
  ])('%j is refused with its reason: %s', async (body, refusal) => {
    const result = await trial(body)
    expect(result).toMatchObject({ status: 403, offer: null, refusal })
    expect(result.text).toMatch(/^[A-Z].+\.$/)
  })

  test('distinguishes none from several, unlike public calls', async () => {
    expect(await trial({ origin: shop, query: { Email: 'x' } })).toMatchObject({ status: 404, refusal: 'not_found' })
    const draft = newAccess({ filter: '{"City":"{{City}}"}', publicColumns: 'Email' })
    expect(await trial({ origin: shop, query: { City: 'paris' }, draft })).toMatchObject({
      status: 404,
      refusal: 'several',
    })
  })

  test('accepts unsaved settings, alone or in place of a saved access', async () => {
    const draft = newAccess({ domainOrIp: 'new.example.com', filter: '{"City":"{{City}}"}', publicColumns: 'Email' })
    const wanted = { origin: 'https://new.example.com', query: { City: 'London' }, draft }
    expect(await trial(wanted)).toMatchObject({ status: 200, offer: { Email: 'ada@example.com' }, accessId: null })
    expect(await trial({ ...wanted, id })).toMatchObject({ status: 200, accessId: id })
    expect(await trial({ ...wanted, draft: { ...draft, isPaused: true } })).toMatchObject({ refusal: 'paused' })
    const past = new Date(Date.now() - 1000).toISOString()
    expect(await trial({ ...wanted, draft: { ...draft, expiresAt: past } })).toMatchObject({ refusal: 'expired' })
    // The trial saved nothing.
    expect((await member.get(`${accessPath}?count=1`)).body).toEqual({ count: 1 })
  })

  test('names the invalid field', async () => {
    const path = `${accessPath}/trial`
    for (const [body, field] of [
      [{ query: {} }, 'origin'],
      [{ query: {}, origin: shop, address: '::1' }, 'address'],
      [{ query: {}, origin: shop, draft: newAccess({ publicColumns: 'Phone' }) }, 'publicColumns'],
      [{ query: { Email: 'a', email: 'b' }, origin: shop }, 'query'],
    ] as const) {
      const answer = await member.post(path, body)
      expect(answer).toMatchObject({ status: 400 })
      expect(answer.json<{ error: { details: { field: string }[] } }>().error.details[0]?.field).toBe(field)
    }
  })

  test('is not counted as a call', async () => {
    await trial({ origin: 'https://evil.io' })
    await trial({ origin: shop })
    expect((await member.get(`${accessPath}/${id}/usage`)).body).toEqual({
      days: [],
      refusedOrigins: [],
      hasUntrustedProxy: false,
    })
  })
})

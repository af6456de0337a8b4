import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let alone: TestPortal
let behind: TestPortal

beforeAll(async () => {
  alone = await startPortal()
  behind = await startPortal({ trustedProxies: ['127.0.0.1', '192.0.2.1'], metricsAllow: ['198.51.100.0/24'] })
})
afterAll(() => Promise.all([alone.close(), behind.close()]))

async function statusOf({ app }: TestPortal, remoteAddress: string, headers: Record<string, string> = {}) {
  return (await app.inject({ url: '/metrics', remoteAddress, headers })).statusCode
}

describe('/metrics', () => {
  test('can be read only from this machine', async () => {
    expect(await statusOf(alone, '127.0.0.1')).toBe(200)
    expect(await statusOf(alone, '::1')).toBe(200)
    expect(await statusOf(alone, '::ffff:127.0.0.1')).toBe(200)
    expect(await statusOf(alone, '192.0.2.9')).toBe(403)
    const refused = await alone.app.inject({ url: '/metrics', remoteAddress: '192.0.2.9' })
    expect(refused.json()).toMatchObject({
      error: { code: 'not_allowed', message: expect.stringContaining('METRICS_ALLOW') },
    })
    expect(refused.body).not.toContain('portico_http')
  })

  test.each([['x-forwarded-for'], ['x-real-ip'], ['forwarded'], ['via']])(
    'cannot be read through an untrusted proxy on this machine, detected by %s',
    async (header) => {
      expect(await statusOf(alone, '127.0.0.1', { [header]: '127.0.0.1' })).toBe(403)
    },
  )

  test('uses the address forwarded by a trusted proxy', async () => {
    expect(await statusOf(behind, '127.0.0.1', { 'x-forwarded-for': '203.0.113.5' })).toBe(403)
    expect(await statusOf(behind, '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' })).toBe(200)
    // The client itself wrote the first one.
    expect(await statusOf(behind, '192.0.2.1', { 'x-forwarded-for': '127.0.0.1, 203.0.113.5' })).toBe(403)
    expect(await statusOf(behind, '192.0.2.1', { 'x-forwarded-for': '127.0.0.1' })).toBe(403)
  })

  test.each(['forwarded', 'x-real-ip', 'via'])(
    'is refused if a trusted proxy sends the address only as %s',
    async (name) => {
      expect(await statusOf(behind, '127.0.0.1', { [name]: 'for=203.0.113.5' })).toBe(403)
    },
  )

  test('can be opened to more addresses by a setting', async () => {
    expect(await statusOf(behind, '198.51.100.7')).toBe(200)
    expect(await statusOf(behind, '192.0.2.1', { 'x-forwarded-for': '198.51.100.7' })).toBe(200)
    expect(await statusOf(behind, '198.51.101.7')).toBe(403)
    expect(await statusOf(behind, '198.51.100.7', { 'x-forwarded-for': '198.51.100.8' })).toBe(403)
  })

  test('lists each worker of a cluster, and none for plain PostgreSQL', async () => {
    const metrics = async () => (await alone.app.inject('/metrics')).body
    const workers = async () => (await metrics()).match(/^portico_database_worker_up\{worker="\d+"\} 1$/gm) ?? []
    expect(await metrics()).toContain('# TYPE portico_database_worker_up gauge')
    await expect.poll(workers).toHaveLength(inject('testServer').nodes.length - 1)
  })
})

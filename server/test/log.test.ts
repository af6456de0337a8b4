import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLog } from '#platform/log.ts'
import { buildApp } from '../src/app.ts'
import { invite, secretIn, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

test('a request is logged with person, account and address, but without the search', async () => {
  const member = await portal.member(await portal.account())
  const file = join(portal.config.dataDir, 'callers.log')
  const app = await buildApp({ ...portal.parts, log: createLog({ file }) })
  const url = '/api/contact-service/v1/exports?skip=0&limit=7'
  const headers = { authorization: `Bearer ${member.token}` }
  expect((await app.inject({ url, headers, remoteAddress: '192.0.2.77' })).statusCode).toBe(200)
  expect((await app.inject({ url, remoteAddress: '192.0.2.78' })).statusCode).toBe(401)
  await app.close()
  const lines = await vi.waitFor(async () => {
    const read = (await readFile(file, 'utf8')).trim().split('\n')
    expect(read).toHaveLength(2)
    return read
  })
  const [known, unknown] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const { rows } = await portal.parts.database.pool.query<{ id: string }>(
    'SELECT id FROM portico.persons WHERE email = $1',
    [member.email],
  )
  expect(known).toMatchObject({ person: rows[0]?.id, account: member.account, address: '192.0.2.77', status: 200 })
  expect(unknown).toMatchObject({ address: '192.0.2.78', status: 401 })
  expect(unknown).not.toHaveProperty('person')
  expect(lines.join()).not.toMatch(/limit=7|Bearer/)
  expect(lines.join()).not.toContain(member.token)
})

test('a request is logged without the secret in its path', async () => {
  await invite(portal, 'ada@example.com', await portal.account())
  const secret = secretIn(await waitForMessage(portal, 'ada@example.com'))
  const file = join(portal.config.dataDir, 'requests.log')
  const app = await buildApp({ ...portal.parts, log: createLog({ file }) })
  const encoded = `%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`
  for (const written of [secret, encoded]) {
    expect((await app.inject(`/api/identity/v1/invitations/${written}`)).statusCode).toBe(200)
  }
  await app.close()
  const log = await vi.waitFor(async () => {
    const text = await readFile(file, 'utf8')
    expect(text).toContain('/identity/v1/invitations/…')
    return text
  })
  expect(log.split('/identity/v1/invitations/…')).toHaveLength(3)
  expect(log).not.toContain(secret.slice(1))
})

test('a call by a stranger is logged without the contact, the address and the page', async () => {
  const file = join(portal.config.dataDir, 'strangers.log')
  const app = await buildApp({ ...portal.parts, log: createLog({ file }) })
  const path = `/api/contact-service/v1/public/${await portal.account()}`
  const headers = { origin: 'https://shop.example.com', 'content-type': 'text/plain' }
  const caller = { headers, remoteAddress: '192.0.2.79' }
  expect((await app.inject({ url: `${path}/offers?Email=zoe%40example.com`, ...caller })).statusCode).toBe(403)
  const sent = { method: 'POST', payload: '{"id":"1","event_code":"order"}', ...caller } as const
  expect((await app.inject({ url: `${path}/events?Email=zoe%40example.com`, ...sent })).statusCode).toBe(403)
  await app.close()
  const log = await vi.waitFor(async () => {
    const text = await readFile(file, 'utf8')
    expect(text).toContain(`${path}/events`)
    return text
  })
  expect(log).toContain(`"path":"${path}/offers","status":403`)
  // No letters that an id could have.
  expect(log).not.toMatch(/zoe|192\.0\.2|shop\.example|order/)
})

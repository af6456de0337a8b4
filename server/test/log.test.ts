import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLog } from '#platform/log.ts'
import { buildApp } from '../src/app.ts'
import { invite, secretIn, waitForMessage } from './mailbox.ts'
import { startPortal, type TestPortal } from './portal.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

test('a request is logged without the secret in its path', async () => {
  await invite(portal, 'ada@example.com', await portal.account())
  const secret = secretIn(await waitForMessage(portal, 'ada@example.com'))
  const file = join(portal.config.dataDir, 'requests.log')
  const app = await buildApp({ ...portal.parts, log: createLog({ file }) })
  expect((await app.inject(`/api/identity/v1/invitations/${secret}`)).statusCode).toBe(200)
  await app.close()
  const log = await vi.waitFor(async () => {
    const text = await readFile(file, 'utf8')
    expect(text).toContain('/identity/v1/invitations/…')
    return text
  })
  expect(log).not.toContain(secret)
})

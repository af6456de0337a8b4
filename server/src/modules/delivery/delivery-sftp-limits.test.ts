import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryDeps, exportWith } from '#test/resources/deliveries.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type SftpServer, startSftpServer } from '#test/stand-ins/sftp-server.ts'

// Servers that accept the sign-in and then hold the connection: they would stop the deliveries of all accounts.

let portal: TestPortal
let member: Member
let server: SftpServer

beforeAll(async () => {
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  member = await portal.member(await portal.account())
  const rows = Array.from({ length: 20 }, () => ({ Name: randomBytes(50_000).toString('base64') }))
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, rows)
})
beforeEach(async () => {
  server = await startSftpServer()
  return () => server.close()
})
afterAll(() => portal.close())

const target = () => ({
  type: 'sftp' as const,
  host: '127.0.0.1',
  port: server.port,
  user: 'ada',
  password: 'right',
  folder: 'in',
})
const attemptWithin = (made: { _id: string }, timeouts: Parameters<typeof deliveryDeps>[2]) =>
  attemptNow(portal, member, made._id, deliveryDeps(portal, ['127.0.0.1'], timeouts))

test.each(['OPEN', 'WRITE', 'CLOSE', 'REMOVE', 'LSTAT', 'EXTENDED'])(
  'an attempt ends when the server does not respond to %s, and the next attempt delivers',
  async (request) => {
    const made = await exportWith(portal, member, target())
    server.unanswered = [request]
    const started = performance.now()
    const failed = await attemptWithin(made, { idleMs: 2000 })
    expect(failed).toMatchObject({ status: 'recovery', result: 'The server did not respond in time.' })
    expect(performance.now() - started).toBeLessThan(15_000)
    server.unanswered = []
    expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed', recoveryCount: 1 })
    expect([...server.files.keys()]).toContain(`in/${made.name}.csv`)
  },
)

test('an attempt ends when the upload is too slow for the size of the file', async () => {
  const made = await exportWith(portal, member, target())
  server.delayMs = 400
  const failed = await attemptWithin(made, { idleMs: 5000, transferMs: 3000, bytesPerSecond: 1e9 })
  expect(failed).toMatchObject({
    status: 'recovery',
    result: 'The server was too slow: the upload was not finished after 1 minute.',
  })
  // Equally slow, but within the time allowed for its size.
  const bytesPerSecond = (made.fileSize ?? 0) / 600
  const done = await attemptWithin(made, { idleMs: 60_000, transferMs: 3000, bytesPerSecond })
  expect(done).toMatchObject({ status: 'completed' })
})

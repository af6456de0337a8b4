import { spawn } from 'node:child_process'
import { createDiffieHellman, DiffieHellman, getDiffieHellman } from 'node:crypto'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { NotificationInput } from '@portico/contract/notifications'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSecrets } from '#platform/secrets.ts'
import { keyWithRounds, lockedRsaKey, rsaKey } from '#test/kit/costly-keys.ts'
import { startCostlySshServer } from '#test/stand-ins/costly-ssh-server.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryDeps, deliveryOf, exportWith } from '#test/resources/deliveries.ts'
import { exportDraft, exportsPath } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type SftpServer, startSftpServer } from '#test/stand-ins/sftp-server.ts'
import { deliveriesPurpose, sealSecrets } from './delivery-secrets.ts'

// Keys and servers can make a client compute for as long as they like. This happens in a separate process, which is
// ended.

let portal: TestPortal
let member: Member
let server: SftpServer

beforeAll(async () => {
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  member = await portal.member(await portal.account())
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }])
})
beforeEach(async () => {
  server = await startSftpServer()
  return () => server.close()
})
afterAll(() => portal.close())

const target = (more: object = {}): NotificationInput => ({
  type: 'sftp',
  host: '127.0.0.1',
  port: server.port,
  user: 'ada',
  password: 'right',
  folder: 'in',
  ...more,
})
const tryOut = (notification: object) => member.post('/contact-service/v1/notifications/test', { notification })
const tooCostly = 'The private key takes too long to use. Use another one, such as Ed25519.'

/** The public key that belongs to a private key, for `authorized_keys`. */
function publicOf(key: string, passphrase: string): string {
  const parsed = ssh2.utils.parseKey(key, passphrase)
  if (parsed instanceof Error) throw parsed
  return `ssh-rsa ${parsed.getPublicSSH().toString('base64')}`
}

test.each([
  ['a billion rounds', () => keyWithRounds(1_000_000_000), 'hashed too often'],
  ['too many bits', () => rsaKey(24_000), 'at most 16,384 bits'],
])('a key that declares a high cost is refused at its field: %s', async (_what, key, problem) => {
  const privateKey = key()
  const field = { message: expect.stringContaining(problem) as string }
  expect((await tryOut(target({ privateKey }))).body).toMatchObject({
    error: { details: [{ ...field, field: 'notification.privateKey' }] },
  })
  const draft = exportDraft(['Name'], { notifications: [target({ privateKey })] })
  expect((await member.post(exportsPath, draft)).body).toMatchObject({
    error: { details: [{ ...field, field: 'notifications.0.privateKey' }] },
  })
})

test('a key that hides its high cost ends the trial with a reason without blocking other requests', async () => {
  const privateKey = lockedRsaKey(36_000, 'a phrase')
  server.publicKey = publicOf(privateKey, 'a phrase')
  let answered: unknown
  const trial = tryOut(target({ privateKey, password: 'a phrase' })).then((response) => (answered = response.body))
  await expect.poll(() => server.tried).toEqual(['ssh-rsa'])
  while (answered === undefined) {
    const started = performance.now()
    expect((await member.get('/identity/v1/profile')).status).toBe(200)
    expect(performance.now() - started).toBeLessThan(5000)
    // Waits between two calls, which leaves the processor to the process.
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  await trial
  expect(answered).toEqual({ isOk: false, message: tooCostly })
})

test('a delivery with a costly key from an earlier release ends at once, and the next one arrives', async () => {
  const made = await exportWith(portal, member, target())
  const delivery = await deliveryOf(member, made._id)
  const sealer = createSecrets(portal.config.secretKey, deliveriesPurpose)
  const sealed = sealSecrets(sealer, { password: 'x', privateKey: keyWithRounds(0xff_ff_ff_ff) }, delivery._id)
  await portal.parts.database.pool.query(
    `UPDATE account_${member.account}.deliveries SET sealed_secrets = $2 WHERE id = $1`,
    [delivery._id, sealed],
  )
  const deps = deliveryDeps(portal, ['127.0.0.1'], { stuckMs: 6000 })
  let beats = 0
  const beat = setInterval(() => beats++, 100)
  const ended = await attemptNow(portal, member, made._id, deps)
  clearInterval(beat)
  expect(ended).toMatchObject({ status: 'rejected', recoveryCount: 0, nextAttemptAt: null, result: tooCostly })
  expect(beats).toBeGreaterThan(10)
  const next = await exportWith(portal, member, target())
  expect(await attemptNow(portal, member, next._id, deps)).toMatchObject({ status: 'completed' })
})

test('a server with a prime of 9,999 bits makes only the process of its trial compute', async () => {
  const costly = await startCostlySshServer()
  const computing = vi.spyOn(DiffieHellman.prototype, 'generateKeys')
  try {
    const { body } = await tryOut(target({ port: costly.port }))
    expect(body).toEqual({ isOk: false, message: 'The server did not respond in time.' })
    expect(costly.exchanges()).toBe(1)
    expect(computing).not.toHaveBeenCalled()
    // A computation in this process is counted.
    createDiffieHellman(getDiffieHellman('modp2').getPrime()).generateKeys()
    expect(computing).toHaveBeenCalledOnce()
  } finally {
    computing.mockRestore()
    costly.close()
  }
})

describe('the SFTP process ends', () => {
  let silent: Server
  let open = 0

  beforeEach(async () => {
    open = 0
    silent = createServer((socket) => {
      open++
      socket.on('error', () => {})
      socket.on('close', () => open--)
      socket.resume()
    })
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
    return () => silent.close()
  })
  const silentPort = () => (silent.address() as AddressInfo).port

  test('with a stopping worker, and its delivery waits for the next start', async () => {
    const made = await exportWith(portal, member, target({ port: silentPort() }))
    // At once, while the socket is being passed to the process, and later.
    for (const afterMs of [0, 1, 5, 300]) {
      const stopping = new AbortController()
      silent.once('connection', () => setTimeout(() => stopping.abort(), afterMs))
      const attempt = attemptNow(portal, member, made._id, deliveryDeps(portal), stopping.signal)
      await expect(attempt).rejects.toThrow('The worker is stopping')
      expect(await deliveryOf(member, made._id)).toMatchObject({ status: 'waiting', recoveryCount: 0 })
      await expect.poll(() => open).toBe(0)
    }
  })

  test('when the portal is killed', async () => {
    const made = await exportWith(portal, member, target({ port: silentPort() }))
    const { _id } = await deliveryOf(member, made._id)
    const program = join(import.meta.dirname, '../../../test/processes/delivery-process.ts')
    const worker = spawn(process.execPath, [program, String(member.account), _id], {
      stdio: 'inherit',
      env: {
        ...process.env,
        DATABASE_URL: portal.parts.database.url,
        DATA_DIR: portal.config.dataDir,
        OUTBOUND_ALLOW: '127.0.0.1',
      },
    })
    await expect.poll(() => open).toBe(1)
    worker.kill('SIGKILL')
    await expect.poll(() => open).toBe(0)
  })
})

import { generateKeyPairSync } from 'node:crypto'
import type { NotificationInput } from '@portico/contract/notifications'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, exportWith } from '#test/resources/deliveries.ts'
import { exportDraft, exportsPath } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type SftpServer, startSftpServer } from '#test/stand-ins/sftp-server.ts'
import { sshKeyPair } from '#test/stand-ins/ssh-keys.ts'

// SFTP with a private key instead of a password.

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
  server.password = null
  return () => server.close()
})
afterAll(() => portal.close())

const target = (more: object): NotificationInput => ({
  type: 'sftp',
  host: '127.0.0.1',
  port: server.port,
  user: 'ada',
  folder: 'in',
  ...more,
})

const passphrase = 'a passphrase of two words'
const locked = { passphrase, cipher: 'aes256-ctr', rounds: 1 } as const
/** The format that OpenSSL and older programs write. */
const pem = (() => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const written = { type: 'pkcs1', format: 'pem' } as const
  const lockedKey = privateKey.export({ ...written, cipher: 'aes-256-cbc', passphrase })
  const openKey = privateKey.export(written)
  const parsed = ssh2.utils.parseKey(openKey)
  if (parsed instanceof Error) throw parsed
  return {
    open: String(openKey),
    locked: String(lockedKey),
    public: `ssh-rsa ${parsed.getPublicSSH().toString('base64')}`,
  }
})()
const ed25519 = sshKeyPair('ed25519')
const rsa = sshKeyPair('rsa')
const ecdsa = sshKeyPair('ecdsa')
const lockedEd25519 = sshKeyPair('ed25519', locked)
const lockedRsa = sshKeyPair('rsa', locked)

/** Delivers an export with this key, and returns the delivery. */
async function deliver(more: object) {
  const made = await exportWith(portal, member, target(more))
  return { made, done: await attemptNow(portal, member, made._id) }
}

describe('a private key', () => {
  test.each([
    ['ed25519', ed25519.private, ed25519.public],
    ['rsa', rsa.private, rsa.public],
    ['ecdsa', ecdsa.private, ecdsa.public],
    ['rsa in PEM', pem.open, pem.public],
    ['ed25519, as somebody pastes it', `\n${ed25519.private.trim().replaceAll('\n', '\r\n')}  \n`, ed25519.public],
  ])('signs in: %s', async (_name, privateKey, publicKey) => {
    server.publicKey = publicKey
    const { made, done } = await deliver({ privateKey })
    expect(done).toMatchObject({ status: 'completed', recoveryCount: 0 })
    expect(server.files.get(`in/${made.name}.csv`)?.toString()).toBe('Name\nAda\n')
  })

  test.each([
    ['ed25519', lockedEd25519.private, lockedEd25519.public],
    ['rsa', lockedRsa.private, lockedRsa.public],
    ['rsa in PEM', pem.locked, pem.public],
  ])(
    'with a passphrase is opened by the password, which is never sent to the server: %s',
    async (_name, key, publicKey) => {
      server.publicKey = publicKey
      expect((await deliver({ privateKey: key, password: passphrase })).done).toMatchObject({ status: 'completed' })
      expect(server.tried.length).toBeGreaterThan(0)
      expect((await deliver({ privateKey: key })).done).toMatchObject({
        status: 'rejected',
        nextAttemptAt: null,
        result: 'The private key has a passphrase. Enter it as the password.',
      })
      expect((await deliver({ privateKey: key, password: 'another' })).done).toMatchObject({
        status: 'rejected',
        result: 'The passphrase of the private key is wrong.',
      })
      expect(server.tried).not.toContain(passphrase)
      expect(server.tried).not.toContain('another')
    },
  )

  test('unknown to the server rejects the delivery, and its passphrase is not tried as a password', async () => {
    server.publicKey = rsa.public
    server.password = passphrase
    for (const privateKey of [ed25519.private, lockedEd25519.private]) {
      expect((await deliver({ privateKey, password: passphrase })).done).toMatchObject({
        status: 'rejected',
        recoveryCount: 0,
        nextAttemptAt: null,
        result: 'The server rejected the user name or key.',
      })
    }
    expect(server.tried).toEqual(['ssh-ed25519', 'ssh-ed25519'])
    expect(server.files.size).toBe(0)
  })

  test('that is damaged is reported as unreadable', async () => {
    const lines = ed25519.private.split('\n')
    const privateKey = [...lines.slice(0, 2), ...lines.slice(3)].join('\n')
    expect((await deliver({ privateKey })).done).toMatchObject({
      status: 'rejected',
      result: 'The private key cannot be read.',
    })
  })

  test.each([['no key'], [ed25519.public], [`-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`]])(
    'is refused if invalid: %j',
    async (privateKey) => {
      const draft = exportDraft(['Name'], { notifications: [target({ privateKey })] })
      expect((await member.post(exportsPath, draft)).body).toMatchObject({
        error: { details: [{ field: 'notifications.0.privateKey', message: 'Value is invalid!' }] },
      })
    },
  )

  test('is stored encrypted, never shown, and used for trials to the same target', async () => {
    server.publicKey = ed25519.public
    const { made } = await deliver({ privateKey: ed25519.private })
    const secret = ed25519.private.split('\n')[2] ?? ''
    expect(secret.length).toBeGreaterThan(50)
    const { body } = await member.get(`${exportsPath}/${made._id}`)
    expect(body).toMatchObject({ notifications: [{ privateKey: null, password: null }] })
    const { rows } = await portal.parts.database.pool.query(`SELECT * FROM account_${member.account}.deliveries`)
    for (const shown of [body, rows]) expect(JSON.stringify(shown)).not.toContain(secret)

    const path = '/contact-service/v1/notifications/test'
    const ask = async (notification: object, by = member) =>
      (await by.post(path, { notification: { ...target({}), ...notification }, exportId: made._id })).body
    expect(await ask({})).toMatchObject({ isOk: true })
    expect(await ask({ privateKey: rsa.private })).toEqual({
      isOk: false,
      message: 'The server rejected the user name or key.',
    })
    // It is not used for another user or another account.
    const missing = { error: { details: [{ field: 'notification.password', message: 'Value is required!' }] } }
    expect(await ask({ user: 'bob' })).toMatchObject(missing)
    expect(await ask({}, await portal.member(await portal.account()))).toMatchObject(missing)
    const reader = await portal.member(member.account, 'contact-service::exports::get')
    expect((await reader.post(path, { notification: target({ privateKey: ed25519.private }) })).status).toBe(403)
  })
})

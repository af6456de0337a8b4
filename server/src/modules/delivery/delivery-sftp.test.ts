import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, exportWith } from '#test/resources/deliveries.ts'
import { exportsPath } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type SftpServer, startSftpServer } from '#test/stand-ins/sftp-server.ts'

let portal: TestPortal
let member: Member
let server: SftpServer
/** Larger than one SFTP packet, and hardly compressible. */
const name = () => randomBytes(50_000).toString('base64')

beforeAll(async () => {
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  member = await portal.member(await portal.account())
  const rows = Array.from({ length: 20 }, () => ({ Name: name() }))
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, rows)
})
beforeEach(async () => {
  server = await startSftpServer()
  return () => server.close()
})
afterAll(() => portal.close())

const target = (more: object = {}) => ({
  type: 'sftp' as const,
  host: '127.0.0.1',
  port: server.port,
  user: 'ada',
  password: 'right',
  folder: 'in',
  ...more,
})
const names = () => [...server.files.keys()]

test('a file arrives complete, only under its own name, and the password is never shown', async () => {
  const made = await exportWith(portal, member, target())
  const done = await attemptNow(portal, member, made._id)
  expect(names()).toEqual([`in/${made.name}.csv`])
  expect(server.files.get(`in/${made.name}.csv`)?.length).toBe(made.fileSize)
  expect(done).toMatchObject({
    kind: 'sftp',
    status: 'completed',
    recoveryCount: 0,
    target: `sftp://ada@127.0.0.1:${server.port}/in`,
    attempts: [{ isOk: true, trigger: 'job', result: `Uploaded ${made.fileSize} bytes to in/${made.name}.csv.` }],
  })
  const { body } = await member.get(`${exportsPath}/${made._id}`)
  expect(body).toMatchObject({ sftpStatus: 'completed', sftpRecoveryCount: 0, notifications: [{ password: null }] })
  expect(JSON.stringify(body)).not.toContain('right')
  const { rows } = await portal.parts.database.pool.query(`SELECT * FROM account_${member.account}.deliveries`)
  expect(JSON.stringify(rows)).not.toContain('right')
})

test('a wrong password rejects the delivery at once', async () => {
  const made = await exportWith(portal, member, target({ password: 'wrong' }))
  const done = await attemptNow(portal, member, made._id)
  expect(done).toMatchObject({ status: 'rejected', recoveryCount: 0, nextAttemptAt: null })
  expect(done.result).toBe('The server rejected the user name or password.')
  expect(names()).toEqual([])
})

test('a server with a changed host key is not trusted until an administrator confirms it', async () => {
  const first = await exportWith(portal, member, target())
  expect(await attemptNow(portal, member, first._id)).toMatchObject({ status: 'completed' })
  await server.changeHostKey()
  server.files.clear()
  const second = await exportWith(portal, member, target())
  const refused = await attemptNow(portal, member, second._id)
  expect(refused).toMatchObject({ status: 'rejected', attempts: [{ isOk: false }] })
  expect(refused.result).toMatch(
    /^Warning: the host key of 127.0.0.1 has changed from SHA256:\S{43} to SHA256:\S{43}\./,
  )
  expect(names()).toEqual([])

  const path = '/contact-service/v1/notifications/host-keys'
  const known = { host: '127.0.0.1', port: server.port }
  expect((await member.get(path)).body).toContainEqual(expect.objectContaining(known))
  const other = await portal.member(await portal.account())
  expect((await other.delete(`${path}/127.0.0.1/${server.port}`)).status).toBe(404)
  expect((await member.delete(`${path}/127.0.0.1/${server.port}`)).status).toBe(200)
  expect((await member.post(`${exportsPath}/${second._id}/deliveries/${refused._id}/resend`)).status).toBe(200)
  expect(await attemptNow(portal, member, second._id)).toMatchObject({
    status: 'completed',
    attempts: [{ trigger: 'job' }, { isOk: true, trigger: 'resend' }],
  })
})

test('a full disk leaves no partial file, and the file arrives when there is space again', async () => {
  const made = await exportWith(portal, member, target())
  Object.assign(server, { fault: 'full disk', faultAfter: 200_000 })
  const failed = await attemptNow(portal, member, made._id)
  expect(failed).toMatchObject({ status: 'recovery', recoveryCount: 0, nextAttemptAt: expect.any(String) as string })
  expect(failed.result).toMatch(/no space left|out of disk space/i)
  expect(names()).toEqual([])
  server.fault = 'nothing'
  expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed', recoveryCount: 1 })
  expect(server.files.get(`in/${made.name}.csv`)?.length).toBe(made.fileSize)
  expect(names()).toHaveLength(1)
})

test('a dropped connection leaves no partial file', async () => {
  const made = await exportWith(portal, member, target())
  Object.assign(server, { fault: 'drop', faultAfter: (made.fileSize ?? 0) / 2 })
  const failed = await attemptNow(portal, member, made._id)
  expect(failed).toMatchObject({ status: 'recovery', attempts: [{ isOk: false }] })
  expect(failed.result).toMatch(/connection/i)
  expect(names()).toEqual([])
  expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed', recoveryCount: 1 })
  expect(names()).toEqual([`in/${made.name}.csv`])
})

test('a missing folder is reported by name', async () => {
  const made = await exportWith(portal, member, target({ folder: 'missing' }))
  expect(await attemptNow(portal, member, made._id)).toMatchObject({
    status: 'rejected',
    result: 'The folder "missing" does not exist on the server.',
  })
})

test('a trial signs in, writes and deletes a file, and can use the stored password of an export', async () => {
  const path = '/contact-service/v1/notifications/test'
  expect((await member.post(path, { notification: target() })).body).toEqual({
    isOk: true,
    message: 'Connected, wrote a small file and deleted it.',
  })
  expect(names()).toEqual([])
  expect((await member.post(path, { notification: target({ password: 'wrong' }) })).body).toEqual({
    isOk: false,
    message: 'The server rejected the user name or password.',
  })
  const { _id } = await exportWith(portal, member, target())
  const without = target({ password: null })
  expect((await member.post(path, { notification: without, exportId: _id })).body).toMatchObject({ isOk: true })
  // It is not sent for another user or to another place.
  for (const notification of [
    { ...without, user: 'bob' },
    { ...without, host: 'localhost' },
  ]) {
    expect((await member.post(path, { notification, exportId: _id })).body).toMatchObject({
      error: { details: [{ field: 'notification.password', message: 'Value is required!' }] },
    })
  }
  expect((await member.post(path, { notification: without })).status).toBe(400)
})

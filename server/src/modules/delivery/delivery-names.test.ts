import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Export } from '@portico/contract/exports'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryDeps, deliveryOf, exportWith } from '#test/resources/deliveries.ts'
import { exportsPath } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type SftpServer, startSftpServer } from '#test/stand-ins/sftp-server.ts'
import { runDelivery } from './delivery-run.service.ts'
import { numberedName } from './sftp/place-new.ts'

// Files on the receiving server are never replaced: files of the same name get numbers, on any kind of server.

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

const target = () =>
  ({ type: 'sftp', host: '127.0.0.1', port: server.port, user: 'ada', password: 'right', folder: 'in' }) as const
const names = () => [...server.files.keys()].toSorted((one, other) => one.localeCompare(other))
const made = (by = member): Promise<Export> => exportWith(portal, by, target())

const servers: [name: string, abilities: Partial<SftpServer['abilities']>][] = [
  ['as OpenSSH', {}],
  ['without hard links', { hardlink: false }],
  ['without extensions', { hardlink: false, posixRename: false }],
  ['whose plain rename replaces', { hardlink: false, posixRename: false, renameReplaces: true }],
  ['that ignores EXCL', { hardlink: false, exclusive: 'ignored' }],
  ['that refuses EXCL', { hardlink: false, posixRename: false, exclusive: 'refused' }],
]

describe.each(servers)('a server %s', (_name, abilities) => {
  beforeEach(() => void Object.assign(server.abilities, abilities))

  test('keeps an existing file, and the log names the file that was written instead', async () => {
    const { _id, name, fileSize } = await made()
    server.files.set(`in/${name}.csv`, Buffer.from('of another system'))
    const numbered = `in/${numberedName(`${name}.csv`, 2)}`
    expect(await attemptNow(portal, member, _id)).toMatchObject({
      status: 'completed',
      result: `Uploaded ${fileSize} bytes to ${numbered}, since in/${name}.csv exists already.`,
    })
    expect(names()).toEqual([`in/${name}.csv`, numbered].toSorted((one, other) => one.localeCompare(other)))
    expect(server.files.get(`in/${name}.csv`)?.toString()).toBe('of another system')
    expect(server.files.get(numbered)?.length).toBe(fileSize)
  })

  test('gets both of two files that two accounts send at the same time', async () => {
    const other = await portal.member(await portal.account())
    await addContacts(portal.parts.database, other.account, { Name: 'string' }, [{ Name: 'Bob' }])
    const first = await made()
    const second = await exportWith(portal, other, target(), { name: first.name })
    server.askedAtOnce = 2
    const done = await Promise.all([attemptNow(portal, member, first._id), attemptNow(portal, other, second._id)])
    expect(done).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
    const contents = [...server.files.values()].map(String).toSorted((a, b) => a.localeCompare(b))
    expect(contents).toEqual(['Name\nAda\n', 'Name\nBob\n'])
    const used = done.map(({ result }) => /to (in\/.*?\.csv)/.exec(result ?? '')?.[1])
    expect(new Set(used)).toEqual(new Set(names()))
  })

  test('does not get a file again that an interrupted attempt has put in place', async () => {
    const { _id, name, fileSize } = await made()
    const { _id: delivery } = await deliveryOf(member, _id)
    // The state a killed worker leaves: the file is in place, but not recorded.
    const { pool } = portal.parts.database
    await pool.query(
      `UPDATE account_${member.account}.deliveries SET status = 'processing', attempt_count = 1, remote_name = $2 WHERE id = $1`,
      [delivery, `${name}.csv`],
    )
    server.files.set(`in/${name}.csv`, Buffer.from('Name\nAda\n'))
    server.files.set(`in/.${delivery}.part`, Buffer.from('Name\nAda\n'))
    await runDelivery(deliveryDeps(portal), member.account, delivery, new AbortController().signal)
    expect(await deliveryOf(member, _id)).toMatchObject({
      status: 'completed',
      result: `Uploaded ${fileSize} bytes to in/${name}.csv in the attempt before.`,
    })
    expect(names()).toEqual([`in/${name}.csv`])
    // Another file of that name, not placed by the delivery.
    server.files.set(`in/${name}.csv`, Buffer.from('Name\nBob\n'))
    await pool.query(`UPDATE account_${member.account}.deliveries SET status = 'processing' WHERE id = $1`, [delivery])
    await runDelivery(deliveryDeps(portal), member.account, delivery, new AbortController().signal)
    expect(server.files.get(`in/${name}.csv`)?.toString()).toBe('Name\nBob\n')
    expect(server.files.get(`in/${numberedName(`${name}.csv`, 2)}`)?.toString()).toBe('Name\nAda\n')
  })

  test('keeps the delivered file when it is sent again', async () => {
    const { _id, name } = await made()
    await attemptNow(portal, member, _id)
    const { _id: delivery } = await deliveryOf(member, _id)
    expect((await member.post(`${exportsPath}/${_id}/deliveries/${delivery}/resend`)).status).toBe(200)
    expect(await attemptNow(portal, member, _id)).toMatchObject({ status: 'completed' })
    expect(names()).toHaveLength(2)
    expect(names()).toContain(`in/${name}.csv`)
  })
})

test('a file that is sent again arrives once, even if its worker is killed during the rename', async () => {
  const { _id, name } = await made()
  await attemptNow(portal, member, _id)
  const { _id: delivery } = await deliveryOf(member, _id)
  expect((await member.post(`${exportsPath}/${_id}/deliveries/${delivery}/resend`)).status).toBe(200)
  const worker = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../../test/processes/delivery-process.ts'), String(member.account), delivery],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        DATABASE_URL: portal.parts.database.url,
        DATA_DIR: portal.config.dataDir,
        OUTBOUND_ALLOW: '127.0.0.1',
      },
    },
  )
  server.onNamed = () => worker.kill('SIGKILL')
  await once(worker, 'exit')
  server.onNamed = null
  const numbered = `in/${numberedName(`${name}.csv`, 2)}`
  expect(names()).toContain(numbered)
  await runDelivery(deliveryDeps(portal), member.account, delivery, new AbortController().signal)
  const result = expect.stringContaining(`to ${numbered} in the attempt before.`)
  expect(await deliveryOf(member, _id)).toMatchObject({ status: 'completed', result })
  expect(names()).toEqual([`in/${name}.csv`, numbered].toSorted((one, other) => one.localeCompare(other)))
})

test.each([
  ['report.csv', 2, 'report(2).csv'],
  ['Weekly report 2026-12-01 09_30.csv', 12, 'Weekly report 2026-12-01 09_30 (12).csv'],
  ['report.v1.zip', 3, 'report.v1(3).zip'],
  [`${'x'.repeat(100)}.txt`, 2, `${'x'.repeat(97)}(2).txt`],
  ['report.csv', 1, 'report.csv'],
])('%s is numbered %i: %s', (name, number, numbered) => {
  expect(numberedName(name, number)).toBe(numbered)
})

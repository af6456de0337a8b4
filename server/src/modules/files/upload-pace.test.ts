import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { findUpload } from '#files'

// The minutes are simulated, the bytes are real.

const minute = 60_000
let portal: TestPortal
let address: string
let member: Member
let clients: ClientRequest[] = []

beforeAll(async () => {
  portal = await startPortal()
  address = await portal.app.listen({ host: '127.0.0.1', port: 0 })
})
beforeEach(async () => {
  member = await portal.member(await portal.account())
})
afterEach(() => {
  for (const client of clients) client.destroy()
  clients = []
  vi.useRealTimers()
})
afterAll(() => portal.close())

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: string }

async function linkFor(fileName: string, by = member): Promise<string> {
  return (await by.get(`/contact-service/v1/uploads/${fileName}`)).json<{ url: string }>().url
}

/** An upload that has sent its first bytes. */
function begin(url: string): { client: ClientRequest; answer: Promise<Answer> } {
  const client = request(address + url, { method: 'PUT' })
  clients.push(client)
  const answer = new Promise<Answer>((resolve, reject) => {
    client.on('error', reject)
    client.on('response', (reply) => {
      text(reply).then((body) => resolve({ status: reply.statusCode, headers: reply.headers, body }), reject)
    })
  })
  answer.catch(() => {})
  client.write('a,b\n')
  return { client, answer }
}

const folder = () => join(portal.config.dataDir, 'files', String(member.account), 'uploads')

/** Longer than usual for a busy machine. */
const waiting = { timeout: 10_000, interval: 10 }

const filesOnDisk = async (): Promise<string[]> => (existsSync(folder()) ? readdir(folder()) : [])

const waitForFiles = (count: number) => vi.waitFor(async () => expect(await filesOnDisk()).toHaveLength(count), waiting)

/** Waits until the only file has this many bytes. */
const waitForBytes = (sizeBytes: number) =>
  vi.waitFor(async () => {
    const [name = ''] = await filesOnDisk()
    expect((await stat(join(folder(), name))).size).toBe(sizeBytes)
  }, waiting)

const codeOf = ({ body }: Answer): unknown => (JSON.parse(body) as { error: { code: string } }).error.code

test('an upload that sends a byte now and then is ended after a minute and leaves nothing behind', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const url = await linkFor('slow.csv')
  const { client, answer } = begin(url)
  await waitForBytes(4)
  vi.advanceTimersByTime(minute - 5000)
  client.write('1')
  await waitForBytes(5)
  vi.advanceTimersByTime(5000)
  const reply = await answer
  expect(reply).toMatchObject({ status: 408, headers: { connection: 'close' } })
  expect(codeOf(reply)).toBe('upload_too_slow')
  await waitForFiles(0)
  expect(
    await findUpload(portal.parts.database.db, portal.parts.storage, member.account, {
      fileName: 'slow.csv',
      by: null,
    }),
  ).toBeNull()
  const again = begin(url)
  again.client.end()
  expect(await again.answer).toMatchObject({ status: 200 })
})

test('an upload that slows down later is also ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { client, answer } = begin(await linkFor('slower.csv'))
  client.write(randomBytes(100_000))
  await waitForBytes(100_004)
  vi.advanceTimersByTime(minute)
  client.write('1')
  await waitForBytes(100_005)
  vi.advanceTimersByTime(minute)
  expect(await answer).toMatchObject({ status: 408 })
  await waitForFiles(0)
})

test('a slow but steady upload can last longer than its link', async () => {
  const url = await linkFor('steady.csv')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  const { client, answer } = begin(url)
  const perMinute = 16 * 1024 * 60
  for (let minutes = 1; minutes <= 65; minutes++) {
    // 16 kB/s at first, then hardly more than the minimum.
    client.write(randomBytes(minutes <= 5 ? perMinute : 8192))
    await waitForBytes(4 + Math.min(minutes, 5) * perMinute + Math.max(0, minutes - 5) * 8192)
    vi.advanceTimersByTime(minute)
  }
  client.end()
  expect(await answer).toMatchObject({ status: 200 })
}, 30_000)

test('an upload ends within a minute after its creator loses the right', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { client, answer } = begin(await linkFor('lost.csv'))
  client.write(randomBytes(100_000))
  await waitForBytes(100_004)
  await portal.parts.database.pool.query('UPDATE portico.identities SET is_disabled = true WHERE account_id = $1', [
    member.account,
  ])
  vi.advanceTimersByTime(minute)
  const reply = await answer
  expect(reply.status).toBe(403)
  expect(codeOf(reply)).toBe('link_invalid')
  await waitForFiles(0)
})

test('a person can have five uploads at a time, independent of others', async () => {
  const names = [1, 2, 3, 4, 5].map((number) => `${number}.csv`)
  const open = await Promise.all(names.map(async (name) => begin(await linkFor(name))))
  await waitForFiles(5)
  const sixth = await linkFor('6.csv')
  const refused = await begin(sixth).answer
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
  expect(codeOf(refused)).toBe('too_many_requests')
  const colleague = begin(await linkFor('6.csv', await portal.member(member.account)))
  colleague.client.end()
  expect(await colleague.answer).toMatchObject({ status: 200 })
  open[0]?.client.destroy()
  await waitForFiles(5)
  // The upload stops counting a moment after its file is removed.
  await vi.waitFor(async () => {
    const later = begin(sixth)
    later.client.end()
    expect(await later.answer).toMatchObject({ status: 200 })
  }, waiting)
  for (const { client } of open.slice(1)) client.end()
  const replies = await Promise.all(open.slice(1).map(({ answer }) => answer))
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

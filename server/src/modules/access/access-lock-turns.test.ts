import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type pg from 'pg'
import { portalLock } from '#platform/waits/lock-keys.ts'
import { groupId } from '#test/kit/administration.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// People of all accounts wait for one lock when they change rights. Here something else holds it.

const base = '/identity/v1'
const unknown = '00000000-0000-4000-8000-000000000000'

let portal: TestPortal
let holder: pg.PoolClient
let owner: Member
let powerUsers: string

beforeAll(async () => {
  portal = await startPortal()
  holder = await portal.parts.database.pool.connect()
  powerUsers = await groupId(await portal.powerAdmin(), 'Power users')
})
afterAll(async () => {
  holder.release()
  await portal.close()
})
beforeEach(async () => {
  owner = await portal.member(await portal.account())
})

/** Runs `work` while no one else gets the lock of rights. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  await holder.query('SELECT pg_advisory_lock($1)', [String(portalLock('access'))])
  try {
    return await work()
  } finally {
    await holder.query('SELECT pg_advisory_unlock($1)', [String(portalLock('access'))])
  }
}

const addProgram = (by: Member, name: string) =>
  by.post(`${base}/identities`, { serviceName: name, groups: [powerUsers] })

test('calls about unknown items are answered without waiting for the lock of rights', async () => {
  const admin = await portal.powerAdmin()
  const group = { name: 'Unknown', policies: [unknown], isAdmin: false, version: 1 }
  const policy = { name: 'Unknown', actions: ['contact-service::offers::get'], isAdmin: false, version: 1 }
  const calls: (() => Promise<Answer>)[] = [
    () => owner.delete(`${base}/identities/${unknown}`),
    () => owner.put(`${base}/identities/${unknown}`, { email: owner.email, groups: [powerUsers], version: 1 }),
    () => owner.post(`${base}/identities/${unknown}/invitation`, {}),
    () => owner.delete(`${base}/identities/${unknown}/sessions`),
    () => owner.put(`${base}/identities/${unknown}/deleteapi/1`, {}),
    () => owner.put(`${base}/profile/invitations/${unknown}`, {}),
    () => owner.delete(`${base}/profile/invitations/${unknown}`),
    () => owner.put(`${base}/profile/credentials/${unknown}/deleteapi/1`, {}),
    () => admin.delete(`${base}/policies/${unknown}`),
    () => admin.put(`${base}/policies/${unknown}`, policy),
    () => admin.delete(`${base}/groups/${unknown}`),
    () => admin.put(`${base}/groups/${unknown}`, group),
  ]
  const statuses = await whileLocked(async () => {
    const answers = await Promise.all(calls.map((call) => call()))
    return answers.map(({ status }) => status)
  })
  expect(statuses).toEqual(calls.map(() => 404))
})

test('a person who makes too many changes at once is refused at once, and others wait their turn', async () => {
  const other = await portal.member(await portal.account())
  const answers: Answer[] = []
  const keep = async (call: Promise<Answer>) => void answers.push(await call)
  const waiting = await whileLocked(async () => {
    const flood = Array.from({ length: 15 }, (_, at) => keep(addProgram(owner, `Program ${at}`)))
    await vi.waitUntil(() => answers.length === 4, { timeout: 9000, interval: 20 })
    return { changed: addProgram(other, 'Program'), flood }
  })
  expect(await waiting.changed).toMatchObject({ status: 201 })
  await Promise.all(waiting.flood)
  // One has the lock, and ten wait.
  const [refused, done] = [answers.slice(0, 4), answers.slice(4)]
  for (const each of refused)
    expect(each).toMatchObject({ status: 429, body: { error: { code: 'too_many_requests' } } })
  expect(refused[0]?.body).toMatchObject({ error: { message: expect.stringContaining('one after the other') } })
  expect(done.map(({ status }) => status)).toEqual(Array(11).fill(201))
})

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { enter, groupId, makePolicy } from '#test/kit/administration.ts'
import { identityOf, linkOf } from '#test/resources/access.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A change of rights may wait for the lock for seconds. The sender's rights at the moment it gets the lock decide.

let portal: TestPortal
let group: string

beforeAll(async () => {
  portal = await startPortal()
  group = await groupId(await portal.powerAdmin(), 'Power users')
})
afterAll(() => portal.close())

/** Makes the calls, and takes the rights away while they wait for the rows that `lock` has locked. */
async function takeAwayWhileWaiting(lock: string, calls: (() => Promise<Answer>)[], takeAway: string, value: string) {
  const { pool } = portal.parts.database
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(lock)
    const answers = calls.map((call) => call())
    await vi.waitFor(async () => expect(await lockWaits(pool)).toHaveLength(1), { timeout: 20_000 })
    // The other calls wait in memory, where the database cannot see them.
    await new Promise((resolve) => setTimeout(resolve, 500))
    await client.query(takeAway, [value])
    await client.query('COMMIT')
    return await Promise.all(answers)
  } finally {
    client.release()
  }
}

const accessLock = 'SELECT pg_advisory_xact_lock(7215096)'
const leaveGroups = `DELETE FROM portico.identity_groups WHERE identity_id IN (
  SELECT i.id FROM portico.identities i JOIN portico.persons p ON p.id = i.person_id WHERE p.email = $1)`
const endSessions = `UPDATE portico.sessions SET revoked_at = now()
  WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`

const base = '/identity/v1'
const services = ({ account }: Member, name: string) => ({ serviceName: `${name} ${account}`, groups: [group] })

/** Calls of a power user that give rights or take them away. */
async function callsOf(by: Member): Promise<(() => Promise<Answer>)[]> {
  const colleague = await portal.member(by.account)
  const other = await identityOf(portal, colleague)
  const made = await by.post(`${base}/identities`, services(by, 'Known'))
  const known = made.json<{ _id: string }>()._id
  return [
    () => by.post(`${base}/identities`, services(by, 'Late')),
    () => by.put(`${base}/identities/${other}`, { email: colleague.email, groups: [group], isDisabled: true }),
    () => by.delete(`${base}/identities/${other}`),
    () => by.delete(`${base}/identities/${other}/sessions`),
    () => by.put(`${base}/identities/${known}/addapi/0`, { name: 'Late' }),
  ]
}

const statusesOf = (answers: Answer[]): number[] => [...new Set(answers.map(({ status }) => status))]

describe('a call that waits for the access lock', () => {
  test('does nothing when its power user has been demoted', async () => {
    const by = await portal.member(await portal.account())
    const calls = await callsOf(by)
    expect(statusesOf(await takeAwayWhileWaiting(accessLock, calls, leaveGroups, by.email))).toEqual([403])
  })

  test('does nothing when its session has ended, not even to the profile of the caller', async () => {
    const by = await portal.member(await portal.account())
    const own = await identityOf(portal, by)
    const addKey = () => by.put(`${base}/profile/credentials/${own}/addapi/0`, { name: 'Late' })
    expect(
      statusesOf(await takeAwayWhileWaiting(accessLock, [...(await callsOf(by)), addKey], endSessions, by.email)),
    ).toEqual([401])
  })

  test('does nothing when its power admin has been demoted', async () => {
    const by = await portal.powerAdmin()
    const account = await portal.account()
    const inAccount: Client = await enter(portal, by, account)
    const policy = await makePolicy(inAccount, 'Known')
    const calls = [
      () => inAccount.post(`${base}/policies`, { name: 'Later', actions: ['contact-service::offers::get'] }),
      () => inAccount.put(`${base}/policies/${policy._id}`, { name: 'Known', actions: ['*::*::*'] }),
      () => inAccount.post(`${base}/groups`, { name: 'Later', policies: [policy._id] }),
      () => inAccount.put(`${base}/accounts/${account}`, { isSuspended: true }),
      () => inAccount.post(`${base}/accounts/${account}/power-users`, { email: 'late@example.com' }),
    ]
    expect(statusesOf(await takeAwayWhileWaiting(accessLock, calls, leaveGroups, by.email))).toEqual([403])
  })
})

test('no impersonation link is created while the sessions of its creator are being ended', async () => {
  const by = await portal.member(await portal.account())
  const lock = `SELECT FROM portico.persons WHERE email = '${by.email}' FOR UPDATE`
  const make = () => by.get(`${base}/login/127.0.0.1/3600`)
  expect(statusesOf(await takeAwayWhileWaiting(lock, [make], endSessions, by.email))).toEqual([401])
  const { rows } = await portal.parts.database.pool.query('SELECT FROM portico.impersonations')
  expect(rows).toEqual([])
  await expect(linkOf(by)).rejects.toThrow('no link')
})

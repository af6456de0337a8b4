import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AccountId } from '@portico/contract/accounts'
import {
  addCredential,
  farHours,
  identityOf,
  limit,
  linkOf,
  memberWith,
  setConditions,
  type TestLimits,
} from '#test/resources/access.ts'
import { groupId } from '#test/kit/administration.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { newCron } from '#test/resources/crons.ts'
import { draftOf } from '#test/resources/dashboards.ts'
import { exportDraft } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { setRowRule } from '#test/resources/row-rules.ts'
import { buildApp } from '../src/app.ts'
import { requestLimits } from '../src/platform/http/slow-requests.ts'

// The head of a request is sent with a few bytes of its body; then a right is revoked, and the rest follows. The
// caller's rights when all of it has arrived decide.

let portal: TestPortal
let root: Member
let app: FastifyInstance

beforeAll(async () => {
  portal = await startPortal()
  root = await portal.powerAdmin()
  await portal.app.listen({ host: '127.0.0.1', port: 0 })
  // Every body counts as late, which makes the tests independent of the machine's speed.
  app = await buildApp(portal.parts, { ...requestLimits, callerMs: 0 })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await app.close()
  await portal.close()
})

const query = (text: string, values: unknown[] = []) => portal.parts.database.pool.query(text, values)
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Call = { method: string; path: string; body: object | Buffer }

/** Sends the head of a request and the first bytes of its body. `finish` sends the rest, and returns the status. */
async function hold(
  authorization: string,
  { method, path, body }: Call,
  { server } = app,
): Promise<{ finish: () => Promise<number> }> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
  const type = Buffer.isBuffer(body) ? 'image/png' : 'application/json'
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  await once(socket, 'connect')
  const lines = [`${method} /api${path} HTTP/1.1`, 'host: portal', `authorization: ${authorization}`]
  const head = [...lines, `content-type: ${type}`, `content-length: ${bytes.length}`, 'connection: close', '', '']
  socket.write(head.join('\r\n'))
  socket.write(bytes.subarray(0, 5))
  return {
    async finish() {
      socket.write(bytes.subarray(5))
      return Number(/^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1])
    },
  }
}

/** Returns a call with a body for each kind: of administrators, a person, an account, large, bytes, a delete. */
async function callsOf(member: Member): Promise<Record<string, Call>> {
  const identity = await identityOf(portal, member)
  const group = await groupId(root, 'Power users')
  const name = `Late ${member.account}`
  const filter = [{ $match: { City: 'Bern' } }]
  return {
    'an identity': { method: 'POST', path: '/identity/v1/identities', body: { serviceName: name, groups: [group] } },
    'an API credential': {
      method: 'PUT',
      path: `/identity/v1/profile/credentials/${identity}/addapi/0`,
      body: { name: 'Late key' },
    },
    'a profile': { method: 'PUT', path: '/identity/v1/profile', body: { userName: name } },
    'a photo': { method: 'PUT', path: '/identity/v1/profile/photo', body: Buffer.from('no photo at all') },
    'a saved filter': {
      method: 'POST',
      path: '/contact-service/v1/rdls',
      body: { name, aggregateQuery: JSON.stringify(filter) },
    },
    'a dashboard': { method: 'POST', path: '/contact-service/v1/dashboards', body: draftOf(member, { name }) },
    'a cron': { method: 'POST', path: '/scheduler/v1/crons', body: newCron({ name }) },
    'an export': { method: 'POST', path: '/contact-service/v1/exports', body: exportDraft(['City']) },
    'a delete of contacts': {
      method: 'DELETE',
      path: '/contact-service/v1/offers',
      body: { filter, deletedRecords: 1 },
    },
  }
}

const own = new Set(['an API credential', 'a profile', 'a photo'])

/** Returns an account with a contact in Bern and one in Rome. */
async function filledAccount(): Promise<AccountId> {
  const account = await portal.account()
  await addContacts(portal.parts.database, account, { City: 'string' }, [{ City: 'Bern' }, { City: 'Rome' }])
  return account
}

/** Counts everything that the calls create, in the database. */
async function made({ account, email }: Member): Promise<Record<string, number>> {
  const { rows } = await query(
    `SELECT (SELECT count(*) FROM portico.identities WHERE account_id = $1 AND service_name IS NOT NULL)::int AS services,
      (SELECT count(*) FROM portico.api_credentials WHERE name = 'Late key' AND created_by = $2)::int AS credentials,
      (SELECT count(*) FROM portico.persons WHERE email = $2 AND user_name IS NOT NULL)::int AS names,
      (SELECT count(*) FROM portico.saved_filters WHERE account_id = $1)::int AS filters,
      (SELECT count(*) FROM portico.dashboards WHERE account_id = $1)::int AS dashboards,
      (SELECT count(*) FROM portico.crons WHERE account_id = $1)::int AS crons,
      (SELECT count(*) FROM account_${account}.exports)::int AS exports,
      (SELECT 2 - count(*) FROM account_${account}.contacts)::int AS deleted`,
    [account, email],
  )
  return rows[0]
}

const nothing = { services: 0, credentials: 0, names: 0, filters: 0, dashboards: 0, crons: 0, exports: 0, deleted: 0 }

type Case = {
  /** The caller, if not a power user in a session. */
  from?: (account: AccountId) => Promise<Member>
  by?: (member: Member) => Promise<string>
  takeAway: (member: Member) => Promise<unknown>
  /** Their session continues, so they may still change their own data. */
  keepsOwn?: true
}

/** Returns a colleague's deletion of a part of the member's identity, or of all of it. */
const deleteOf =
  (what: '' | '/sessions') =>
  async (member: Member): Promise<void> => {
    const colleague = await portal.member(member.account)
    const path = `/identity/v1/identities/${await identityOf(portal, member)}`
    expect((await colleague.delete(path + what)).status).toBeOneOf([200, 204])
  }

const byCredential = async (member: Member): Promise<string> =>
  (await addCredential(portal, await identityOf(portal, member))).authorization
const byLink = async (member: Member): Promise<string> => `Bearer ${await linkOf(member)}`
const ofPerson = 'person_id = (SELECT id FROM portico.persons WHERE email = $1)'
const change = (table: string, set: string) => (member: Member) =>
  query(`UPDATE portico.${table} SET ${set} WHERE ${ofPerson}`, [member.email])
const limitTo = (limits: TestLimits) => async (member: Member) =>
  limit(portal, await identityOf(portal, member), limits)

const cases: Record<string, Case> = {
  'a session that was ended': { takeAway: ({ token }) => portal.holder(token).post('/identity/v1/logout') },
  'a session that an administrator ended': {
    takeAway: deleteOf('/sessions'),
  },
  'a session that expired': { takeAway: change('sessions', 'expires_at = now()') },
  'an identity that was deleted': { takeAway: deleteOf('') },
  'an identity that was disabled': { takeAway: limitTo({ isDisabled: true }) },
  'an identity limited to other hours': { takeAway: limitTo({ hours: farHours(), hoursEffect: 'in' }) },
  'an identity limited to another network': { takeAway: limitTo({ cidr: '192.0.2.0/24' }) },
  'a group that was left': {
    takeAway: async (member) =>
      query('DELETE FROM portico.identity_groups WHERE identity_id = $1', [await identityOf(portal, member)]),
    keepsOwn: true,
  },
  'a policy that got a condition': {
    from: (account) => memberWith(portal, account, { actions: ['*::*::*'] }),
    takeAway: (member) => setConditions(portal, member, ['body::name::eq::Another']),
    keepsOwn: true,
  },
  'an account that was suspended': {
    takeAway: ({ account }) => root.put(`/identity/v1/accounts/${account}`, { isSuspended: true }),
  },
  'an API credential that was deleted': {
    by: byCredential,
    takeAway: async (member) =>
      query('DELETE FROM portico.api_credentials WHERE identity_id = $1', [await identityOf(portal, member)]),
  },
  'an API credential that expired': {
    by: byCredential,
    takeAway: async (member) =>
      query('UPDATE portico.api_credentials SET expires_at = now() WHERE identity_id = $1', [
        await identityOf(portal, member),
      ]),
  },
  'an impersonation link that was revoked': { by: byLink, takeAway: change('impersonations', 'revoked_at = now()') },
  'an impersonation link that expired': { by: byLink, takeAway: change('impersonations', 'expires_at = now()') },
  'an impersonation link of an identity that was deleted': {
    by: byLink,
    takeAway: deleteOf(''),
  },
}

describe.concurrent('a request with a delayed body', () => {
  test.each(Object.entries(cases))(
    'changes nothing with %s',
    async (_what, { from = portal.member, by, takeAway, keepsOwn }) => {
      const member = await from(await filledAccount())
      const authorization = by ? await by(member) : `Bearer ${member.token}`
      const calls = Object.entries(await callsOf(member)).filter(([what]) => !keepsOwn || !own.has(what))
      const held = await Promise.all(calls.map(([, call]) => hold(authorization, call)))
      await sleep(300)
      await takeAway(member)
      const replies = await Promise.all(held.map(async ({ finish }, at) => [calls[at]?.[0], await finish()]))
      expect(replies).toEqual(calls.map(([what]) => [what, expect.toBeOneOf([401, 403])]))
      expect(await made(member)).toEqual(nothing)
    },
  )

  test('succeeds if no access was lost', async () => {
    const member = await portal.member(await filledAccount())
    const calls = Object.values(await callsOf(member))
    const held = await Promise.all(calls.map((call) => hold(`Bearer ${member.token}`, call)))
    await sleep(300)
    await Promise.all(held.map(({ finish }) => finish()))
    expect(Object.values(await made(member))).toEqual(Object.values(nothing).map(() => 1))
  })

  test('sees only the contacts of a row rule that was set in between', async () => {
    const member = await portal.member(await filledAccount())
    const body = { filter: [{ $match: { City: { $exists: true } } }], deletedRecords: 2 }
    const held = await hold(`Bearer ${member.token}`, { method: 'DELETE', path: '/contact-service/v1/offers', body })
    await sleep(300)
    await setRowRule(portal, await identityOf(portal, member), [{ $match: { City: 'Bern' } }])
    await held.finish()
    const { rows } = await query(`SELECT c1 FROM account_${member.account}.contacts WHERE c1 = 'Rome'`)
    expect(rows).toHaveLength(1)
  })

  test('is authenticated again if its body took longer than a second', async () => {
    const member = await portal.member(await filledAccount())
    await change('sessions', "last_seen_at = now() - interval '2 minutes'")(member)
    const call = (await callsOf(member))['an identity'] as Call
    const held = await hold(`Bearer ${member.token}`, call, portal.app)
    const wasSeen = `SELECT FROM portico.sessions WHERE ${ofPerson} AND last_seen_at > now() - interval '1 minute'`
    await vi.waitFor(async () => expect((await query(wasSeen, [member.email])).rows).toHaveLength(1), {
      timeout: 20_000,
    })
    await sleep(1200)
    await change('sessions', 'revoked_at = now()')(member)
    expect(await held.finish()).toBe(401)
    expect(await made(member)).toEqual(nothing)
  })
})

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { ChangeMarks } from '@portico/contract/activity'
import type { Action } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { changeAccount } from '#accounts'
import { recordAudit } from '#audit'
import { identityOf } from '#test/resources/access.ts'
import { enter, makePolicy } from '#test/kit/administration.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { createDashboard } from '#test/resources/dashboards.ts'
import { createExport, exportDraft } from '#test/resources/exports.ts'
import { submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { streamLimits } from './open-streams.ts'

const path = '/contact-service/v1/changes'

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  await portal.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => portal.close())

/** Follows the changes as a browser does, and keeps the marks received. */
async function follow(member: Member) {
  const { port } = portal.app.server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
    headers: { authorization: `Bearer ${member.token}`, accept: 'text/event-stream' },
  })
  const heard: ChangeMarks[] = []
  let [heartbeats, rights] = [0, 0]
  let hasEnded = false
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  void (async () => {
    for (;;) {
      const part = await reader?.read().catch(() => ({ done: true as const, value: undefined }))
      if (!part || part.done) break
      if (part.value?.includes(': still here')) heartbeats += 1
      if (part.value?.includes('event: rights')) rights += 1
      for (const [, data = ''] of part.value?.matchAll(/^event: marks\ndata: (.*)$/gm) ?? [])
        heard.push(JSON.parse(data))
    }
    hasEnded = true
  })()
  return {
    response,
    heard,
    heartbeats: () => heartbeats,
    rights: () => rights,
    hasEnded: () => hasEnded,
    stop: () => reader?.cancel(),
  }
}

test('the mark of a list changes with its contents, and the marks of other lists stay the same', async () => {
  const before = (await owner.get(path)).json<ChangeMarks>()
  expect(Object.keys(before).toSorted()).toEqual([
    'dashboards',
    'deletes',
    'downloads',
    'exports',
    'imports',
    'schedules',
  ])
  expect((await owner.get(path)).body).toEqual(before)
  await submit(portal, owner, 'A\n1\n')
  const after = (await owner.get(path)).json<ChangeMarks>()
  expect(after.imports).not.toBe(before.imports)
  expect(after).toMatchObject({ exports: before.exports, deletes: before.deletes })
  const { pool } = portal.parts.database
  await pool.query(`UPDATE account_${owner.account}.imports SET phase_progress = 0.5`)
  const moved = (await owner.get(path)).json<ChangeMarks>()
  expect(moved.imports).not.toBe(after.imports)
  // Downloads change when a file appears or disappears, not with the progress of a job.
  expect(moved.downloads).toBe(after.downloads)
  await pool.query(`UPDATE account_${owner.account}.imports SET report_removed_at = now()`)
  const removed = (await owner.get(path)).json<ChangeMarks>()
  expect(removed).toEqual({ ...moved, downloads: expect.any(String) })
  expect(removed.downloads).not.toBe(moved.downloads)
})

test('the mark of exports changes with deliveries of this account only', async () => {
  const { pool } = portal.parts.database
  const own = await portal.member(await portal.account())
  await addContacts(portal.parts.database, own.account, { A: 'string' }, [{ A: '1' }])
  const notification = { type: 'http' as const, method: 'get' as const, endpoint: 'https://example.com/hook' }
  await createExport(own, exportDraft(['A'], { notifications: [notification] }))
  const marks = async () => (await own.get(path)).json<ChangeMarks>()
  const before = await marks()
  expect(await marks()).toEqual(before)
  for (const change of [`status = 'recovery'`, 'attempt_count = attempt_count + 1', 'next_attempt_at = now()']) {
    const last = await marks()
    await pool.query(`UPDATE account_${own.account}.deliveries SET ${change}`)
    const next = await marks()
    expect(next.exports).not.toBe(last.exports)
    expect(next).toMatchObject({ imports: before.imports, deletes: before.deletes })
  }
  const last = await marks()
  await pool.query(`UPDATE account_${owner.account}.deliveries SET status = 'recovery'`)
  expect(await marks()).toEqual(last)
})

test('a stream sends the marks at once and after each change, without repeats', async () => {
  const stream = await follow(owner)
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  await vi.waitFor(() => expect(stream.heard).toHaveLength(1), 5000)
  await submit(portal, owner, 'A\n1\n')
  await vi.waitFor(() => expect(stream.heard).toHaveLength(2), 5000)
  expect(stream.heard[1]?.imports).not.toBe(stream.heard[0]?.imports)
  expect(stream.heard[1]).toEqual((await owner.get(path)).body)
  await stream.stop()
})

test('neither call nor stream covers lists the caller cannot see or other accounts', async () => {
  const exporter = await portal.member(owner.account, 'contact-service::exports::get')
  expect(Object.keys((await exporter.get(path)).json<ChangeMarks>())).toEqual(['exports'])
  const stranger = await portal.member(await portal.account())
  const streams = [await follow(exporter), await follow(stranger)]
  for (const { heard } of streams) await vi.waitFor(() => expect(heard).toHaveLength(1), 5000)
  const listening = await follow(owner)
  await vi.waitFor(() => expect(listening.heard).toHaveLength(1), 5000)
  await submit(portal, owner, 'A\n1\n')
  await vi.waitFor(() => expect(listening.heard).toHaveLength(2), 5000)
  for (const { heard } of streams) expect(heard).toHaveLength(1)
  expect(Object.keys(streams[0]?.heard[0] ?? {})).toEqual(['exports'])
  for (const { stop } of [...streams, listening]) await stop()
})

test('callers who can list deletes get the mark of deletes', async () => {
  const lister = await portal.member(owner.account, 'contact-service::offers::get')
  expect(await lister.get('/contact-service/v1/deletes')).toMatchObject({ status: 200 })
  expect(Object.keys((await lister.get(path)).json<ChangeMarks>())).toEqual(['deletes'])
})

test('following changes requires a session', async () => {
  expect(await portal.anonymous.get(path)).toMatchObject({ status: 401 })
  const nobody = portal.asking({ accept: 'text/event-stream' })
  expect(await nobody.get(path)).toMatchObject({ status: 401 })
})

test('a stream ends with its session and does not extend it', async () => {
  const [leaver, idler] = [await portal.member(owner.account), await portal.member(owner.account)]
  const [stream, open] = [await follow(leaver), await follow(idler)]
  const { pool } = portal.parts.database
  const ofIdler = `FROM portico.persons p WHERE p.id = person_id AND p.email = $1`
  await pool.query(`UPDATE portico.sessions SET last_seen_at = now() - interval '5 minutes' ${ofIdler}`, [idler.email])
  await vi.waitFor(() => expect(stream.heard).toHaveLength(1), 5000)
  expect(await leaver.post('/identity/v1/logout')).toMatchObject({ status: 204 })
  await vi.waitFor(() => expect(stream.hasEnded()).toBe(true), 20_000)
  await vi.waitFor(() => expect(open.heartbeats()).toBeGreaterThan(0), 5000)
  const since = `SELECT extract(epoch FROM now() - last_seen_at)::float AS seconds FROM portico.sessions s, portico.persons p`
  const { rows } = await pool.query<{ seconds: number }>(`${since} WHERE p.id = s.person_id AND p.email = $1`, [
    idler.email,
  ])
  expect(rows[0]?.seconds).toBeGreaterThan(299)
  await open.stop()
}, 30_000)

test('a stream beyond the limit of a session closes the oldest one, so no member holds all connections', async () => {
  const hoarder = await portal.member(owner.account)
  const streams = await Promise.all(Array.from({ length: streamLimits.ofSession }, () => follow(hoarder)))
  const open = () => streams.filter(({ hasEnded }) => !hasEnded()).length
  const other = await follow(owner)
  expect(open()).toBe(streamLimits.ofSession)
  streams.push(await follow(hoarder), await follow(hoarder))
  await vi.waitFor(() => expect(open()).toBe(streamLimits.ofSession), 5000)
  expect(streams.slice(-2).map(({ hasEnded }) => hasEnded())).toEqual([false, false])
  expect(other.hasEnded()).toBe(false)
  for (const { stop } of [...streams, other]) await stop()
})

describe('a stream reports at once', () => {
  const soon = 5000
  const follower = async (...actions: Action[]) => {
    const member = await portal.member(owner.account, ...actions)
    const stream = await follow(member)
    await vi.waitFor(() => expect(stream.heard).toHaveLength(1), soon)
    return { member, stream, identity: await identityOf(portal, member) }
  }

  test('that a dashboard is no longer shared or its author has lost a right', async () => {
    const author = await portal.member(await portal.account())
    const { stream } = await follower('bi::dashboards::get')
    const bystander = await follow(await portal.member(await portal.account()))
    await vi.waitFor(() => expect(bystander.heard).toHaveLength(1), soon)
    const marks = () => stream.heard.map(({ dashboards }) => dashboards)
    const shared = await createDashboard(author)
    const { pool } = portal.parts.database
    const share = (accounts: number[]) =>
      pool.query(
        'UPDATE portico.dashboards SET shared_parents = NULL, shared_accounts = $2, shared_users = NULL WHERE id = $1',
        [shared._id, accounts],
      )
    await share([author.account, owner.account])
    await vi.waitFor(() => expect(new Set(marks()).size).toBe(2), soon)
    // The account that the dashboard belongs to.
    const admin = await enter(portal, await portal.powerAdmin(), author.account)
    await makePolicy(admin, 'Policy of the author', { ownerPaid: author.account })
    await vi.waitFor(() => expect(new Set(marks()).size).toBe(3), soon)
    await share([author.account])
    await vi.waitFor(() => expect(stream.heard).toHaveLength(4), soon)
    expect(bystander.heard).toHaveLength(1)
    await Promise.all([stream.stop(), bystander.stop()])
  })

  test('that a policy has changed, followed by the marks of the lists now visible', async () => {
    const { member, stream, identity } = await follower('contact-service::exports::get')
    expect(Object.keys(stream.heard[0] ?? {})).toEqual(['exports'])
    const { rows } = await portal.parts.database.pool.query<{ id: string }>(
      `SELECT p.policy_id AS id FROM portico.group_policies p JOIN portico.identity_groups g USING (group_id)
       WHERE g.identity_id = $1`,
      [identity],
    )
    const admin = await enter(portal, await portal.powerAdmin(), owner.account)
    const policy = { name: 'Policy that changes', actions: ['contact-service::imports::get'], version: 1 }
    expect((await admin.put(`/identity/v1/policies/${rows[0]?.id}`, policy)).status).toBe(200)
    await vi.waitFor(() => expect(stream.rights()).toBe(1), soon)
    await submit(portal, owner, 'A\n1\n')
    await vi.waitFor(() => expect(Object.keys(stream.heard.at(-1) ?? {})).toEqual(['imports']), soon)
    expect(member.account).toBe(owner.account)
    await stream.stop()
  })

  test('by closing, that the identity is disabled or the account is suspended', async () => {
    const { stream, member } = await follower('contact-service::exports::get')
    const other = await follower('contact-service::exports::get')
    const { db, pool } = portal.parts.database
    const by = { actor: 'test', address: null, via: { kind: 'portal' as const } }
    const identity = await identityOf(portal, member)
    await pool.query('UPDATE portico.identities SET is_disabled = TRUE WHERE id = $1', [identity])
    await recordAudit(db, { ...by, account: owner.account, action: 'identity changed', subject: member.email })
    await vi.waitFor(() => expect(stream.hasEnded()).toBe(true), soon)
    expect(other.stream.hasEnded()).toBe(false)
    await changeAccount(db, owner.account, { isSuspended: true }, by)
    await vi.waitFor(() => expect(other.stream.hasEnded()).toBe(true), soon)
    await changeAccount(db, owner.account, { isSuspended: false }, by)
  })
})

test('a client that does not read is dropped at the next change', async () => {
  const { port } = portal.app.server.address() as AddressInfo
  const asked = once(portal.app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const client = connect(port, '127.0.0.1')
  client.on('error', () => {})
  client.pause()
  client.write(
    `GET /api${path} HTTP/1.1\r\nhost: portal\r\naccept: text/event-stream\r\nauthorization: Bearer ${owner.token}\r\n\r\n`,
  )
  const [, response] = await asked
  await once(client, 'readable')
  // As much as years of changes, and more than the system's buffers hold.
  response.write(`: ${'x'.repeat(20 * 1024 * 1024)}\n\n`)
  await createDashboard(owner, { name: 'One more' })
  await vi.waitFor(() => expect(response.destroyed).toBe(true), { timeout: 10_000, interval: 50 })
})

import type { Dashboard } from '@portico/contract/dashboards'
import type { FieldEntry } from '@portico/contract/fields'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { portalLock } from '#platform/waits/lock-keys.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons } from '#test/resources/crons.ts'
import { createDashboard, dashboardsPath, definition, pie } from '#test/resources/dashboards.ts'
import { exportDraft } from '#test/resources/exports.ts'
import { groupId, personIdOf } from '#test/kit/administration.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const rdls = '/contact-service/v1/rdls'
const fields = '/contact-service/v1/fields'

let portal: TestPortal
let owner: Member
let from: Member
let to: Member
let dashboard: Dashboard
let plain: Dashboard
let cron: string
beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  await addContacts(portal.parts.database, account, { City: 'string' }, [{ City: 'Rome' }])
  owner = await portal.member(account)
  from = await portal.member(account)
  to = await portal.member(account)
  const filter = { standard: [{ $match: { City: 'Rome' } }, { $group: { _id: '$City', count: { $count: {} } } }] }
  const chart = { ...pie('Cities'), filter }
  dashboard = await createDashboard(from, { name: 'Cities', definition: definition([{ id: 'a', cols: 12, chart }]) })
  plain = await createDashboard(from, { name: 'Plain' })
  cron = (await addCron(from, { instruction: exportDraft(['City']) }))._id
  const aggregateQuery = JSON.stringify([{ $match: { City: 'Rome' } }])
  await owner.post(rdls, { name: 'Romans', aggregateQuery })
})
afterAll(() => portal.close())

async function rename(name: string): Promise<{ status: number }> {
  const [field] = (await owner.get(`${fields}/details`)).json<FieldEntry[]>()
  return owner.put(`${fields}/${field?._id}`, { name })
}

const handOver = async (giver: Member, receiver: Member, ...items: string[]) =>
  owner.post(`/identity/v1/people/${await personIdOf(portal, giver)}/hand-over`, { email: receiver.email, items })

/** Runs `work` while another transaction holds what the statement locks. */
async function whileHeld(statement: string, work: (holder: pg.PoolClient) => Promise<void>): Promise<void> {
  const holder = await portal.parts.database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(statement)
    await work(holder)
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
}

const waitsFor = (part: string) =>
  vi.waitFor(
    async () => {
      const waits = await lockWaits(portal.parts.database.pool)
      expect(waits.filter((query) => query.includes(part))).not.toEqual([])
    },
    { timeout: 20_000, interval: 20 },
  )

const current = async (by: Member, id: string) =>
  (await by.get(`${dashboardsPath}/${id}`)).json<Pick<Dashboard, 'definition'> & { author?: string }>()

test('what a rename holds stays, the rest moves, and a stranger who invites someone does not wait', async () => {
  const stranger = await portal.member(await portal.account('Of a stranger'))
  const groups = [await groupId(stranger, 'Power users')]
  await whileHeld(`SELECT 1 FROM portico.saved_filters WHERE name = 'Romans' FOR UPDATE`, async (holder) => {
    const renamed = rename('Town')
    await waitsFor('saved_filters')
    const answer = await handOver(from, to, dashboard._id, plain._id, cron)
    const invited = await stranger.post('/identity/v1/identities', { email: 'invited@example.org', groups })
    // The rename still waits.
    await waitsFor('saved_filters')
    await holder.query('ROLLBACK')
    const refusal = 'Others are changing it right now. Try again in a moment.'
    const stayed = [
      { _id: dashboard._id, refusal },
      { _id: cron, refusal },
    ]
    expect(answer).toMatchObject({ status: 200, body: { moved: [{ _id: plain._id }], stayed } })
    expect(invited).toMatchObject({ status: 201 })
    expect(await renamed).toMatchObject({ status: 200 })
  })
  expect((await owner.get(`${crons}/${cron}`)).json()).toMatchObject({ author: from.email })
  expect(await current(to, plain._id)).toMatchObject({ author: to.email })
})

test('a rename waits for work that is being handed over, and follows it', async () => {
  await whileHeld(`SELECT pg_advisory_xact_lock(${portalLock('access')})`, async (holder) => {
    const handed = handOver(from, to, dashboard._id, cron)
    await waitsFor('pg_advisory')
    const renamed = rename('Place')
    await waitsFor('FOR UPDATE OF d')
    await holder.query('ROLLBACK')
    expect(await handed).toMatchObject({
      status: 200,
      body: { moved: [{ _id: dashboard._id }, { _id: cron }], stayed: [] },
    })
    expect(await renamed).toMatchObject({ status: 200 })
  })
  const { author, definition: text } = await current(to, dashboard._id)
  expect({ author, text }).toEqual({ author: to.email, text: expect.stringContaining('"Place"') as string })
  expect(text).not.toContain('Town')
  expect((await owner.get(`${crons}/${cron}`)).json()).toMatchObject({
    author: to.email,
    instruction: { exportFields: ['Place'] },
  })
})

test('nothing moves if the administrator loses the right while the access lock is waited for', async () => {
  const second = await portal.member(owner.account)
  const asked = { email: from.email, items: [plain._id] }
  await whileHeld(`SELECT pg_advisory_xact_lock(${portalLock('access')})`, async (holder) => {
    const handed = second.post(`/identity/v1/people/${await personIdOf(portal, to)}/hand-over`, asked)
    await waitsFor('pg_advisory')
    await holder.query(
      `UPDATE portico.identities SET is_disabled = true
       WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`,
      [second.email],
    )
    await holder.query('COMMIT')
    expect((await handed).status).toBeGreaterThanOrEqual(400)
  })
  expect(await current(to, plain._id)).toMatchObject({ author: to.email })
})

import type { DeleteRecord } from '@portico/contract/deletes'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { runDelete } from '#deletes'
import { JobInterrupted } from '#platform/jobs/jobs.ts'
import { addCredential, identityOf, linkOf, memberWith, setConditions } from '#test/resources/access.ts'
import { removeIdentity } from '#test/resources/dashboards.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The rights of a bulk delete's requester are checked again before a worker begins it.

let portal: TestPortal
let owner: Member
/** Requests the deletes, and loses the right to them. */
let maker: Member

beforeAll(async () => {
  // No worker in this process: the tests run the jobs after the right is lost.
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  owner = await portal.member(await portal.account())
  maker = await memberWith(portal, owner.account, { actions: ['*::*::*'] })
  const schema = `account_${owner.account}`
  await query(`ALTER TABLE ${schema}.contacts ADD COLUMN c1 double precision`)
  await query(`INSERT INTO ${schema}.fields (id, name, type, part, created_at) VALUES (1, 'Rank', 'number', 1, now())`)
  await query(
    `INSERT INTO ${schema}.contacts (id, import_id, c1)
     SELECT (1::bigint << 33) + i, 1, i FROM generate_series(1, ${contacts}) AS i`,
  )
})

const contacts = 60_000
const offers = '/contact-service/v1/offers'
const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
const count = async () => (await owner.get(`${offers}?count=`)).body
const listed = async () => (await owner.get('/contact-service/v1/deletes')).json<DeleteRecord[]>()
const filter = [{ $match: { Rank: { $gt: 0 } } }]

/** Requests a delete that a worker must perform; the response arrives when it ends. */
async function begin(by: Client): Promise<{ id: string; answer: Promise<Answer> }> {
  const before = (await listed()).length
  const answer = by.delete(offers, { filter, deletedRecords: contacts })
  await vi.waitUntil(async () => (await listed()).length > before, { timeout: 20_000, interval: 20 })
  return { id: (await listed())[0]?._id ?? '', answer }
}
const run = (id: string, signal = new AbortController().signal) => runDelete(portal.parts, owner.account, id, signal)

test.each<[string, (by: Member) => Promise<unknown>, string]>([
  ['the identity is removed', (by) => removeIdentity(portal, by), 'no longer have access'],
  ['the policy gets a condition', (by) => setConditions(portal, by, ['body::filter::nct::rank']), 'no longer allow it'],
  [
    'the identity sees only some contacts',
    async (by) =>
      query(
        'UPDATE portico.identities SET row_rule = $2 WHERE id = $1',
        await identityOf(portal, by),
        JSON.stringify([{ $match: { Rank: 1 } }]),
      ),
    'may no longer see all',
  ],
])('a delete is rejected with the reason, in the response and the list, after %s', async (_what, lose, reason) => {
  const { id, answer } = await begin(maker)
  await lose(maker)
  await run(id)
  const message = expect.stringContaining(reason)
  expect(await answer).toMatchObject({ status: 403, body: { error: { code: 'not_allowed', message } } })
  expect(await count()).toEqual({ count: contacts })
  expect(await listed()).toMatchObject([{ _id: id, status: 'rejected', processedRecords: 0, reason: message }])
  // The rejected delete does not block the next one.
  const next = await begin(owner)
  await run(next.id)
  expect(await next.answer).toMatchObject({ status: 200 })
  expect(await count()).toEqual({ count: 0 })
})

test.each(['an API credential', 'an impersonation link'])(
  'a delete by %s is rejected after it is revoked',
  async (what) => {
    const { authorization } = await addCredential(portal, await identityOf(portal, maker))
    const isLink = what === 'an impersonation link'
    const { id, answer } = await begin(isLink ? portal.holder(await linkOf(maker)) : portal.asking({ authorization }))
    if (isLink) await query('UPDATE portico.impersonations SET revoked_at = now() WHERE account_id = $1', owner.account)
    else await query('DELETE FROM portico.api_credentials WHERE identity_id = $1', await identityOf(portal, maker))
    await run(id)
    expect(await answer).toMatchObject({ status: 403 })
    expect(await count()).toEqual({ count: contacts })
  },
)

test('a delete resumed after its worker stopped is authorized again and keeps its count', async () => {
  const { id, answer } = await begin(maker)
  const stop = new AbortController()
  const stopped = run(id, stop.signal).catch((error: unknown) => error)
  const done = async () => (await listed())[0]?.processedRecords ?? 0
  await vi.waitUntil(async () => (await done()) > 0, { timeout: 20_000, interval: 5 })
  stop.abort()
  expect(await stopped).toBeInstanceOf(JobInterrupted)
  const deleted = await done()
  await removeIdentity(portal, maker)
  await run(id)
  expect(await answer).toMatchObject({ status: 403 })
  expect(await listed()).toMatchObject([{ status: 'rejected', processedRecords: deleted }])
  expect(await count()).toEqual({ count: contacts - deleted })
  const { rows } = await query(`SELECT FROM account_${owner.account}.delete_targets`)
  expect(rows).toEqual([])
})

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  await addContacts(portal.parts.database, owner.account, { Name: 'string', Since: 'date' }, [
    { Name: 'Ann', Since: '2026-03-01T23:30:00Z' },
  ])
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
const requireReadable = 'contact-service::offers::get'
const askAgain = { status: 200, body: [{ Name: 'Ann' }] }

test('contacts are read while the caller is looked up, once the token has been used before', async () => {
  const member = await portal.member(owner.account, requireReadable)
  expect(await member.get(offers)).toMatchObject(askAgain)
  const { pool } = portal.parts.database
  const held = await pool.connect()
  try {
    await held.query(`BEGIN; LOCK TABLE portico.sessions, account_${owner.account}.contacts IN ACCESS EXCLUSIVE MODE`)
    const answer = member.get(offers)
    await vi.waitFor(async () => {
      const { rows } = await held.query<{ waiting: string }>(
        `SELECT relname AS waiting FROM pg_locks JOIN pg_class c ON c.oid = relation WHERE NOT granted ORDER BY 1`,
      )
      expect(rows.map(({ waiting }) => waiting)).toEqual(['contacts', 'sessions'])
    }, 20_000)
    await held.query('ROLLBACK')
    expect(await answer).toMatchObject(askAgain)
  } finally {
    held.release()
  }
})

test('contacts read early are not returned to a caller who has lost access', async () => {
  const { pool } = portal.parts.database
  const [restricted, ended] = [await portal.member(owner.account, requireReadable), await portal.member(owner.account)]
  for (const { get } of [restricted, ended]) expect(await get(offers)).toMatchObject(askAgain)
  const changeActions = (from: string, to: string) =>
    pool.query(
      `UPDATE portico.policies SET actions = array_replace(actions, $1, $2) WHERE id IN (
        SELECT gp.policy_id FROM portico.group_policies gp JOIN portico.identity_groups USING (group_id)
        JOIN portico.identities i ON i.id = identity_id JOIN portico.persons p ON p.id = i.person_id WHERE p.email = $3)`,
      [from, to, restricted.email],
    )
  await changeActions(requireReadable, 'contact-service::exports::get')
  expect(await restricted.get(offers)).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
  await changeActions('contact-service::exports::get', requireReadable)
  expect(await restricted.get(offers)).toMatchObject(askAgain)
  expect(await ended.post('/identity/v1/logout')).toMatchObject({ status: 204 })
  for (const query of ['', '?find=nonsense']) {
    expect(await ended.get(offers + query)).toMatchObject({ status: 401, body: { error: { code: 'not_signed_in' } } })
  }
})

test('contacts read early are read again if the account has changed', async () => {
  const onTheSecond = `${offers}?find=${json([{ $match: { Since: '2026-03-02' } }])}`
  expect(await owner.get(onTheSecond)).toMatchObject({ status: 200, body: [] })
  await portal.parts.database.pool.query(`UPDATE portico.accounts SET time_zone = 'Europe/Zurich' WHERE id = $1`, [
    owner.account,
  ])
  expect(await owner.get(onTheSecond)).toMatchObject(askAgain)
})

test('an invalid query is still refused, and accounts stay separate', async () => {
  const stranger = await portal.member(await portal.account())
  for (let turn = 0; turn < 2; turn++) {
    expect(await owner.get(`${offers}?find=${json([{ $match: { Nmae: 'Ann' } }])}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_filter', message: 'Unexpected field in standard filter: "Nmae"' } },
    })
    expect(await owner.get(`${offers}?limit=0`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input' } },
    })
    expect(await stranger.get(offers)).toMatchObject({ status: 200, body: [] })
  }
})

import type { AddressInfo } from 'node:net'
import type { DeleteRecord } from '@portico/contract/deletes'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordEvents } from '#contacts'
import { addContacts } from '#test/resources/contacts.ts'
import { newEvent } from '#test/resources/events.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const offers = '/contact-service/v1/offers'
const deletes = '/contact-service/v1/deletes'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

type Filled = { account: number; member: Member; ids: string[]; schema: string }

/** An account with five contacts of three cities, with keys, a value in a further table, and events. */
async function filledAccount(): Promise<Filled> {
  const account = await portal.account()
  const member = await portal.member(account)
  const names = Array.from({ length: 301 }, (_, at) => (at === 0 ? 'City' : `Column ${at}`))
  const contacts = ['Paris', 'Paris', 'Rome', 'Rome', 'Oslo'].map((City, at) => ({ City, 'Column 300': `far ${at}` }))
  const types = Object.fromEntries(names.map((name) => [name, 'string' as const]))
  const purl = (at: number) => ({ purl: { base: 'a', number: at + 1 } })
  const ids = await addContacts(portal.parts.database, account, types, contacts, purl)
  const events = ids.map((contactId) => newEvent(contactId, { code: 'open' }))
  await recordEvents(portal.parts.database.db, account, events)
  await portal.parts.database.pool.query(
    `INSERT INTO account_${account}.contact_words (id, words) SELECT id, to_tsvector('simple', c1)
     FROM account_${account}.contacts`,
  )
  return { account, member, ids, schema: `account_${account}` }
}

const inCity = (City: string) => [{ $match: { City } }]
const remove = (by: Member, filter: unknown, deletedRecords: unknown) => by.delete(offers, { filter, deletedRecords })

/** Ids in each table that holds data of contacts. */
async function remaining(schema: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const [table, column] of [
    ['contacts', 'id'],
    ['contacts_2', 'id'],
    ['contact_keys', 'id'],
    ['contact_words', 'id'],
    ['events', 'contact_id'],
    ['delete_targets', 'contact_id'],
  ] as const) {
    const { rows } = await portal.parts.database.pool.query<{ id: string }>(
      `SELECT ${column} AS id FROM ${schema}.${table} ORDER BY 1`,
    )
    found[table] = rows.map(({ id }) => id)
  }
  return found
}

const whole = (ids: string[]) => ({
  contacts: ids,
  contacts_2: ids,
  contact_keys: ids,
  contact_words: ids,
  events: ids,
  delete_targets: [],
})

describe('deleting the contacts of a filter', () => {
  test('deletes all of them with their keys, further fields and events, and returns their number', async () => {
    const { member, ids, schema } = await filledAccount()
    const answer = await remove(member, inCity('Paris'), 2)
    expect([answer.status, answer.body]).toEqual([200, { deletedCount: 2 }])
    expect(await remaining(schema)).toEqual(whole(ids.slice(2)))
    expect((await contactsOf(member)).map(({ _id }) => _id)).toEqual(ids.slice(2))
    expect(await member.get(`${offers}/${ids[0]}`)).toMatchObject({ status: 404 })
  })

  test('deletes all contacts when the filter is empty', async () => {
    const { member, schema } = await filledAccount()
    expect((await remove(member, [], 5)).body).toEqual({ deletedCount: 5 })
    expect(await remaining(schema)).toEqual(whole([]))
  })

  test('supports filters on a field of a further table and on the PURL', async () => {
    const { member, ids, schema } = await filledAccount()
    expect((await remove(member, [{ $match: { 'Column 300': 'far 3' } }], 1)).body).toEqual({ deletedCount: 1 })
    expect((await remove(member, [{ $match: { purl: 'a5' } }], 1)).body).toEqual({ deletedCount: 1 })
    expect(await remaining(schema)).toEqual(whole(ids.slice(0, 3)))
  })

  test('supports a saved filter', async () => {
    const { member, ids, schema } = await filledAccount()
    const draft = { name: 'Romans', aggregateQuery: JSON.stringify(inCity('Rome')) }
    const { _id } = (await member.post('/contact-service/v1/rdls', draft)).json<{ _id: string }>()
    expect((await remove(member, [{ $predefined: _id }], 2)).body).toEqual({ deletedCount: 2 })
    expect(await remaining(schema)).toEqual(whole([ids[0] ?? '', ids[1] ?? '', ids[4] ?? '']))
    // The history keeps its filter when the saved filter changes.
    expect((await member.get(deletes)).body).toMatchObject([{ filter: inCity('Rome') }])
  })

  test('deletes nothing when the confirmed number differs, and returns the actual number', async () => {
    const { member, ids, schema } = await filledAccount()
    for (const [count, message] of [
      [1, '2 contacts match now, not 1. Nothing was deleted.'],
      [3, '2 contacts match now, not 3. Nothing was deleted.'],
    ] as const) {
      expect(await remove(member, inCity('Paris'), count)).toMatchObject({
        status: 409,
        body: { error: { code: 'count_changed', details: { count: 2 }, message } },
      })
    }
    expect((await remove(member, inCity('Oslo'), 2)).body).toMatchObject({
      error: { message: '1 contact matches now, not 2. Nothing was deleted.' },
    })
    expect(await remaining(schema)).toEqual(whole(ids))
    expect((await member.get(deletes)).body).toEqual([])
  })

  test.each([
    [[{ $match: { Town: 'Paris' } }], 1, 'invalid_filter', 'Unexpected field in standard filter: "Town"'],
    [[{ $limit: 1 }], 1, 'invalid_filter', 'Unknown Operator: "$limit"'],
    [inCity('Paris'), 0, 'invalid_input', expect.stringContaining('Value is invalid!')],
    [inCity('Paris'), 1.5, 'invalid_input', expect.anything()],
    [inCity('Paris'), '2', 'invalid_input', expect.anything()],
    [{ City: 'Paris' }, 2, 'invalid_input', expect.anything()],
    [undefined, 2, 'invalid_input', expect.anything()],
  ])('refuses %j with %j', async (filter, count, code, message: unknown) => {
    const { member, ids, schema } = await filledAccount()
    expect(await remove(member, filter, count)).toMatchObject({ status: 400, body: { error: { code, message } } })
    expect(await remaining(schema)).toEqual(whole(ids))
  })

  test('requires the right to delete and affects no other account', async () => {
    const { account, ids, schema } = await filledAccount()
    const reader = await portal.member(account, 'contact-service::offers::get')
    expect(await remove(reader, inCity('Paris'), 2)).toMatchObject({ status: 403 })
    const other = await filledAccount()
    expect((await remove(other.member, inCity('Paris'), 2)).status).toBe(200)
    expect(await remaining(schema)).toEqual(whole(ids))
  })

  test('is in the audit log', async () => {
    const { account, member } = await filledAccount()
    await remove(member, inCity('Paris'), 2)
    const { rows } = await portal.parts.database.pool.query(
      `SELECT actor, subject, details FROM portico.audit_log WHERE account_id = $1 AND action = 'contacts deleted'`,
      [account],
    )
    const details = { delete: '1', filter: inCity('Paris'), deletedRecords: 2 }
    expect(rows).toEqual([{ actor: member.email, subject: '2 contacts', details }])
  })
})

describe('concurrent deletes', () => {
  test('another delete is refused while one is being processed, and accepted afterwards', async () => {
    const { account, member, schema, ids } = await filledAccount()
    const { pool } = portal.parts.database
    // A transaction writes one of the contacts, which makes the delete wait.
    const writer = new pg.Client({ connectionString: portal.parts.database.url })
    await writer.connect()
    let first: Promise<Answer>
    try {
      await writer.query('BEGIN')
      await writer.query(`UPDATE ${schema}.contacts SET updated_at = $1 WHERE id = $2`, [new Date(), ids[0]])
      first = remove(member, inCity('Paris'), 2)
      const processing = async () => (await pool.query(`SELECT status FROM ${schema}.deletes`)).rows
      await expect.poll(processing).toEqual([{ status: 'processing' }])
      expect(await remove(member, inCity('Rome'), 2)).toMatchObject({
        status: 409,
        body: {
          error: {
            code: 'delete_in_progress',
            message: 'A delete request is already in progress. Please try again after a while.',
          },
        },
      })
      expect((await member.get(deletes)).body).toMatchObject([{ status: 'processing', processedRecords: 0 }])
      // Other accounts do not wait.
      const other = await filledAccount()
      expect((await remove(other.member, inCity('Oslo'), 1)).status).toBe(200)
      await writer.query('COMMIT')
    } finally {
      await writer.end()
    }
    expect((await first).body).toEqual({ deletedCount: 2 })
    expect((await remove(member, inCity('Rome'), 2)).body).toEqual({ deletedCount: 2 })
    expect(await remaining(`account_${account}`)).toEqual(whole(ids.slice(4)))
  })

  test('of two simultaneous deletes one is accepted', async () => {
    const { member, ids, schema } = await filledAccount()
    const answers = await Promise.all([remove(member, inCity('Paris'), 2), remove(member, inCity('Paris'), 2)])
    // The second runs while the first is in progress, or when no contact matches any more.
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409])
    expect(await remaining(schema)).toEqual(whole(ids.slice(2)))
  })
})

describe('a client that disconnects', () => {
  test('does not stop the delete', async () => {
    const { member, ids, schema } = await filledAccount()
    await portal.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = portal.app.server.address() as AddressInfo
    const writer = new pg.Client({ connectionString: portal.parts.database.url })
    await writer.connect()
    try {
      await writer.query('BEGIN')
      await writer.query(`UPDATE ${schema}.contacts SET updated_at = $1 WHERE id = $2`, [new Date(), ids[0]])
      const client = new AbortController()
      const asked = fetch(`http://127.0.0.1:${port}/api${offers}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${member.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ filter: inCity('Paris'), deletedRecords: 2 }),
        signal: client.signal,
      })
      await expect.poll(async () => (await member.get(`${deletes}?count=`)).body).toEqual({ count: 1 })
      client.abort()
      await expect(asked).rejects.toThrow('abort')
      await writer.query('COMMIT')
    } finally {
      await writer.end()
    }
    await expect.poll(async () => (await member.get(deletes)).body).toMatchObject([{ status: 'completed' }])
    expect(await remaining(schema)).toEqual(whole(ids.slice(2)))
  })
})

describe('the history', () => {
  test('lists deletes, newest first, filtered, sorted, paged and counted', async () => {
    const { account, member } = await filledAccount()
    for (const [city, count] of [
      ['Paris', 2],
      ['Rome', 2],
      ['Oslo', 1],
    ] as const) {
      await remove(member, inCity(city), count)
    }
    const list = async (query: string) => (await member.get(`${deletes}${query}`)).json<DeleteRecord[]>()
    const cityOf = ({ filter }: DeleteRecord) =>
      (filter[0]?.['$match'] as Record<string, unknown> | undefined)?.['City']
    const all = await list('')
    expect(all.map(cityOf)).toEqual(['Oslo', 'Rome', 'Paris'])
    expect(all[0]).toEqual({
      _id: expect.any(String) as string,
      filter: inCity('Oslo'),
      deletedRecords: 1,
      processedRecords: 1,
      creator: member.email,
      creationDate: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      status: 'completed',
      reason: null,
      restorableRecords: 1,
      restorableUntil: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      restore: null,
      mergedInto: null,
    })
    const sorted = encodeURIComponent('{"deletedRecords":1}')
    expect((await list(`?sort=${sorted}&limit=1`)).map(cityOf)).toEqual(['Oslo'])
    expect((await list('?skip=1&limit=1')).map(cityOf)).toEqual(['Rome'])
    const find = (match: unknown) => encodeURIComponent(JSON.stringify([{ $match: match }]))
    expect((await member.get(`${deletes}?count=&find=${find({ status: 'completed' })}`)).body).toEqual({ count: 3 })
    expect((await member.get(`${deletes}?count=&find=${find({ status: 'processing' })}`)).body).toEqual({ count: 0 })
    expect(
      (await list(`?find=${find({ deletedRecords: { $gt: 1 }, filter: { $regex: 'Rome' } })}`)).map(cityOf),
    ).toEqual(['Rome'])
    expect(await member.get(`${deletes}?find=${find({ position: 1 })}`)).toMatchObject({ status: 400 })
    const without = await portal.member(account, 'contact-service::imports::get')
    expect(await without.get(deletes)).toMatchObject({ status: 403 })
    const stranger = await portal.member(await portal.account())
    expect((await stranger.get(deletes)).body).toEqual([])
  })
})

import type { AddressInfo } from 'node:net'
import type { FieldType } from '@portico/contract/contacts'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { userQuery } from '#filters'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
/** For tests that only read. */
let filled: Filled
beforeAll(async () => {
  portal = await startPortal()
  filled = await filledAccount()
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
type Found = { _id: string } & Record<string, unknown>

type Filled = { account: number; member: Member; ids: string[] }

/** An account with a handful of contacts, and a user who may read them. */
async function filledAccount(): Promise<Filled> {
  const account = await portal.account()
  const member = await portal.member(account, 'contact-service::offers::get')
  const types: Record<string, FieldType> = { 'First Name': 'string', Age: 'number', Member: 'boolean', Since: 'date' }
  const contacts = [
    { 'First Name': 'Zoë', Age: 31.5, Member: true, Since: '2026-01-31T00:00:00Z' },
    { 'First Name': 'anna', Age: 7, Member: false, Since: '2025-12-31T23:30:00.5-01:00' },
    { 'First Name': 'Émile' },
    { 'First Name': 'bob', Age: 31.5 },
    {},
  ]
  const ids = await addContacts(portal.parts.database, account, types, contacts, (at) => ({
    importId: at < 3 ? 4 : 12,
    ...(at < 3 && { purl: { base: 'a1x', number: at === 0 ? 1 : 20 + at } }),
  }))
  return { account, member, ids }
}

describe('listing contacts', () => {
  test('returns every field of a contact under its original name, and no other', async () => {
    const { member, ids } = filled
    expect((await member.get(offers)).body).toEqual([
      {
        _id: ids[0],
        'First Name': 'Zoë',
        Age: 31.5,
        Member: true,
        Since: '2026-01-31T00:00:00.000Z',
        purl: 'a1x',
        basePurl: 'a1x',
        purlNumber: 1,
        Import: '4',
      },
      {
        _id: ids[1],
        'First Name': 'anna',
        Age: 7,
        Member: false,
        Since: '2026-01-01T00:30:00.500Z',
        purl: 'a1x21',
        basePurl: 'a1x',
        purlNumber: 21,
        Import: '4',
      },
      { _id: ids[2], 'First Name': 'Émile', purl: 'a1x22', basePurl: 'a1x', purlNumber: 22, Import: '4' },
      { _id: ids[3], 'First Name': 'bob', Age: 31.5, Import: '12' },
      { _id: ids[4], Import: '12' },
    ])
  })

  test('returns only the selected fields, regardless of case', async () => {
    const { member, ids } = filled
    expect((await member.get(`${offers}?select=${encodeURIComponent('"first name" Age  purl')}&limit=1`)).body).toEqual(
      [{ _id: ids[0], 'First Name': 'Zoë', Age: 31.5, purl: 'a1x' }],
    )
    expect((await member.get(`${offers}?select=_id&limit=1`)).body).toEqual([{ _id: ids[0] }])
  })

  test.each([
    ['Nme', 'select: There is no field "Nme".'],
    ['First Name', 'select: There is no field "First".'],
    ['"First Name', 'select: Put names with spaces in double quotes, with a closing quote.'],
    ['"First Name"Age', 'select: Put names with spaces in double quotes, with a closing quote.'],
  ])('refuses to select %s', async (select, message) => {
    const { member } = filled
    const answer = await member.get(`${offers}?select=${encodeURIComponent(select)}`)
    expect([answer.status, answer.body]).toMatchObject([400, { error: { code: 'invalid_input', message } }])
  })

  test.each<[string, Record<string, number>, number[]]>([
    ['text as people expect it, those without last', { 'First Name': 1 }, [1, 3, 2, 0, 4]],
    ['the other way round, those without still last', { 'first name': -1 }, [0, 2, 3, 1, 4]],
    ['numbers, equal ones by id', { Age: 1 }, [1, 0, 3, 2, 4]],
    ['dates', { Since: -1 }, [0, 1, 2, 3, 4]],
    ['true and false', { Member: 1 }, [1, 0, 2, 3, 4]],
    ['several fields', { Age: -1, 'First Name': 1 }, [3, 0, 1, 2, 4]],
    ['PURLs by base and number', { purl: -1 }, [2, 1, 0, 3, 4]],
    ['ids', { _id: -1 }, [4, 3, 2, 1, 0]],
    ['imports', { Import: -1 }, [3, 4, 0, 1, 2]],
  ])('sorts %s', async (_what, sort, order) => {
    const { member, ids } = filled
    const found = (await member.get(`${offers}?sort=${json(sort)}`)).json<Found[]>()
    expect(found.map(({ _id }) => ids.indexOf(_id))).toEqual(order)
  })

  test.each([
    [{ Nme: 1 }, 'invalid_filter', 'Unexpected field in standard filter: "Nme"'],
    [{ Age: 'up' }, 'invalid_input', expect.stringContaining('sort')],
    [{}, 'invalid_filter', '"$sort" takes one to 4 fields.'],
  ])('refuses to sort by %j', async (sort, code, message: unknown) => {
    const { member } = filled
    const answer = await member.get(`${offers}?sort=${json(sort)}`)
    expect([answer.status, answer.body]).toMatchObject([400, { error: { code, message } }])
  })

  test.each<[string, unknown, number[]]>([
    ['purl', { purl: 'a1x' }, [0]],
    ['purl of a later holder', { purl: 'a1x21' }, [1]],
    ['several purls', { purl: { $in: ['a1x', 'a1x22', 'b'] } }, [0, 2]],
    ['a purl nobody has', { purl: { $in: ['a1x1', 'a1x021', 'a1x99999999999', 'a'] } }, []],
    ['no purl', { purl: null }, [3, 4]],
    ['another purl', { purl: { $ne: 'a1x' } }, [1, 2, 3, 4]],
    ['part of a purl', { purl: { $regex: 'x2[12]$' } }, [1, 2]],
    ['purlNumber', { purlNumber: { $gt: 1 } }, [1, 2]],
    ['Import, as text', { Import: '12' }, [3, 4]],
    ['Import, as a number', { Import: { $lt: 12 } }, [0, 1, 2]],
  ])('finds by %s', async (_what, match, expected) => {
    const { member, ids } = filled
    const found = (await member.get(`${offers}?find=${json([{ $match: match }])}`)).json<Found[]>()
    expect(found.map(({ _id }) => ids.indexOf(_id))).toEqual(expected)
  })

  test('counts the matching contacts', async () => {
    const { member } = filled
    expect((await member.get(`${offers}?count=`)).body).toEqual({ count: 5 })
    const find = json([{ $match: { Age: { $gt: 0 } } }, { $match: { Member: true } }])
    expect((await member.get(`${offers}?find=${find}&count=true&limit=1&skip=3`)).body).toEqual({ count: 1 })
  })

  test('refuses a page beyond the limits, and unknown parameters', async () => {
    const { member } = filled
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'skip=-1', 'aggregate={}']) {
      expect([query, (await member.get(`${offers}?${query}`)).status]).toEqual([query, 400])
    }
  })

  test('reads fields from all tables that hold the columns', async () => {
    const account = await portal.account()
    const member = await portal.member(account)
    const names = Array.from({ length: 601 }, (_, at) => `Column ${at + 1}`)
    const types: Record<string, FieldType> = Object.fromEntries(names.map((name) => [name, 'number' as const]))
    const [first, second] = await addContacts(portal.parts.database, account, types, [
      Object.fromEntries(names.map((name, at) => [name, at])),
      { 'Column 601': -1 },
    ])
    const [whole] = (await member.get(`${offers}?find=${json([{ $match: { 'Column 301': 300 } }])}`)).json<Found[]>()
    expect(Object.keys(whole ?? {})).toHaveLength(603)
    expect(whole).toMatchObject({ _id: first, 'Column 1': 0, 'Column 301': 300, 'Column 601': 600 })
    const sorted = await member.get(
      `${offers}?sort=${json({ 'Column 601': 1 })}&select=${encodeURIComponent('"Column 300" "Column 601"')}`,
    )
    expect(sorted.body).toEqual([
      { _id: second, 'Column 601': -1 },
      { _id: first, 'Column 300': 299, 'Column 601': 600 },
    ])
  })
})

describe('one contact', () => {
  test('comes with its events, newest first', async () => {
    const { account, member, ids } = await filledAccount()
    const { pool } = portal.parts.database
    for (const [code, date] of [
      ['open', '2026-01-01T10:00:00Z'],
      ['click', '2026-01-02T10:00:00Z'],
    ]) {
      await pool.query(
        `INSERT INTO account_${account}.events (id, contact_id, event_code, event_date, browser, is_trigger) VALUES ($1, $2, $3, $4, 'Firefox', true)`,
        [crypto.randomUUID(), ids[0], code, date],
      )
    }
    const rest = {
      app_code: null,
      event_path: null,
      event_element: null,
      browser: 'Firefox',
      os: null,
      ip: null,
      is_trigger: true,
    }
    expect((await member.get(`${offers}/${ids[0]}`)).body).toMatchObject({
      _id: ids[0],
      'First Name': 'Zoë',
      purl: 'a1x',
      events: [
        { event_code: 'click', event_date: '2026-01-02T10:00:00.000Z', ...rest },
        { event_code: 'open', event_date: '2026-01-01T10:00:00.000Z', ...rest },
      ],
    })
    expect((await member.get(`${offers}/${ids[4]}`)).body).toEqual({ _id: ids[4], Import: '12', events: [] })
  })

  test('comes with the details that an application has recorded for an event', async () => {
    const { account, member, ids } = await filledAccount()
    await portal.parts.database.pool.query(
      `INSERT INTO account_${account}.events (id, contact_id, event_code, event_date, pdid, is_trigger, details)
       VALUES ($1, $2, 'buy', '2026-01-01T10:00:00Z', 'spring', false, '{"price": 12.5, "page": "Home"}')`,
      [crypto.randomUUID(), ids[1]],
    )
    expect((await member.get(`${offers}/${ids[1]}`)).body).toMatchObject({
      events: [{ event_code: 'buy', pdid: 'spring', details: { price: 12.5, page: 'Home' } }],
    })
  })

  test('is not found if it does not exist, or if the id is not a number', async () => {
    const { member } = filled
    for (const id of ['1', 'abc', '-1', '1.5', '99999999999999999999', '9223372036854775808', "1'"]) {
      expect([id, (await member.get(`${offers}/${encodeURIComponent(id)}`)).status]).toEqual([id, 404])
    }
  })
})

describe('fields', () => {
  test('are listed in the order they were added, with their type and whether an index begins with them', async () => {
    const { account, member } = await filledAccount()
    await portal.parts.database.pool.query(`CREATE INDEX some_index ON account_${account}.contacts (c2, c1)`)
    expect((await member.get('/contact-service/v1/fields')).body).toEqual([
      { name: 'First Name', type: 'string', isIndexed: false },
      { name: 'Age', type: 'number', isIndexed: true },
      { name: 'Member', type: 'boolean', isIndexed: false },
      { name: 'Since', type: 'date', isIndexed: false },
    ])
  })
})

describe('permissions', () => {
  test.each([offers, `${offers}?count=`, `${offers}/1`, '/contact-service/v1/fields'])('GET %s', async (path) => {
    const { account, ids } = filled
    expect((await portal.anonymous.get(path)).status).toBe(401)
    const without = await portal.member(account, 'contact-service::imports::get')
    expect((await without.get(path)).body).toMatchObject({ error: { code: 'not_allowed' } })
    // A user of another account sees that account, which is empty.
    const stranger = await portal.member(await portal.account())
    expect((await stranger.get(`${offers}/${ids[0]}`)).status).toBe(404)
    expect((await stranger.get(offers)).body).toEqual([])
    expect((await stranger.get('/contact-service/v1/fields')).body).toEqual([])
  })
})

describe('a slow query', () => {
  /** Keeps every query of the account's contacts waiting until it is released. */
  async function holdContacts(
    account: number,
  ): Promise<{ release: () => Promise<void>; waiting: () => Promise<number[]> }> {
    const { url } = portal.parts.database
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query(`LOCK TABLE account_${account}.contacts IN ACCESS EXCLUSIVE MODE`)
    return {
      release: () => holder.end(),
      async waiting() {
        const { rows } = await portal.parts.database.pool.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
             AND wait_event_type = 'Lock' AND query LIKE '%account_${account}%'`,
        )
        return rows.map(({ pid }) => pid)
      },
    }
  }

  test('is stopped by a time limit, with advice in the response', async () => {
    const { account, member } = await filledAccount()
    const limit = await userQuery({ db: portal.parts.database.db }, async (tx) => {
      const { rows } = await sql<{ limit: string }>`SELECT current_setting('statement_timeout') AS limit`.execute(tx)
      return rows[0]?.limit
    })
    expect(limit).toBe('30s')
    const { release, waiting } = await holdContacts(account)
    try {
      const asked = member.get(`${offers}?count=`)
      await expect.poll(waiting).toHaveLength(1)
      // Simulates the time limit without waiting for it.
      await portal.parts.database.pool.query('SELECT pg_cancel_backend($1::int)', [(await waiting())[0]])
      expect(await asked).toMatchObject({
        status: 422,
        body: { error: { code: 'timed_out', message: expect.stringContaining('Narrow the filter') as string } },
      })
    } finally {
      await release()
    }
  })

  test('is cancelled in the database when the client disconnects', async () => {
    const { account, member } = await filledAccount()
    await portal.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = portal.app.server.address() as AddressInfo
    const { release, waiting } = await holdContacts(account)
    try {
      const client = new AbortController()
      const asked = fetch(`http://127.0.0.1:${port}/api${offers}`, {
        headers: { authorization: `Bearer ${member.token}` },
        signal: client.signal,
      })
      await expect.poll(waiting).toHaveLength(1)
      client.abort()
      await expect(asked).rejects.toThrow('abort')
      await expect.poll(waiting, { timeout: 3000 }).toEqual([])
    } finally {
      await release()
    }
    // The connection is usable again.
    expect((await member.get(`${offers}?count=`)).body).toEqual({ count: 5 })
  })
})

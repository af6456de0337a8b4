import type { Offer } from '@portico/contract/contacts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCron } from '#test/resources/crons.ts'
import { importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Rows that users wrote can be large: even a few may exceed the memory of the process.

let portal: TestPortal
let member: Member
let other: Member

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  other = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const write = (statement: string, ...values: unknown[]) => portal.parts.database.pool.query(statement, values)
const rows = 60
const megabyte = `repeat('x', 1000000)`

const largeCrons = '/scheduler/v1/crons?consumerCode=EXPORT'

/** Lists of rows of a megabyte each, by how the rows are written. */
const lists: [name: string, path: string, fill: () => Promise<unknown>][] = [
  [
    'crons with their instructions',
    `${largeCrons}&limit=1000`,
    async () => {
      const { _id } = await addCron(member)
      const columns = `account_id, consumer, name, emails, expression, zone, starts, transfer, author, created_at, updated_at`
      await write(
        `INSERT INTO portico.crons (id, instruction, ${columns})
         SELECT gen_random_uuid(), instruction || jsonb_build_object('aggregateQuery', ${megabyte}), ${columns}
         FROM portico.crons, generate_series(1, $2) WHERE id = $1`,
        _id,
        rows,
      )
    },
  ],
  [
    'exports with their filters',
    '/contact-service/v1/exports?limit=1000',
    () =>
      write(
        `INSERT INTO account_${member.account}.exports (name, creator, created_at, status, delimiter, fields, filter)
         SELECT 'Large ' || n, 'ada@example.com', now(), 'completed', 'csv', '{}', ${megabyte}
         FROM generate_series(1, $1) AS n`,
        rows,
      ),
  ],
  [
    'the audit log',
    '/identity/v1/audit?limit=1000',
    () =>
      write(
        `INSERT INTO portico.audit_log (account_id, at, actor, action, subject, details, via)
         SELECT $1, now(), 'ada@example.com', 'import created', 'Large', jsonb_build_object('x', ${megabyte}), 'session'
         FROM generate_series(1, $2)`,
        member.account,
        rows,
      ),
  ],
]

test.each(lists)('%s of more than 50 MB are refused, and the next call is served', async (_name, path, fill) => {
  await fill()
  expect(await member.get(path)).toMatchObject({
    status: 422,
    body: { error: { code: 'timed_out', message: expect.stringContaining('more than 50 MB') } },
  })
  expect(await member.get('/contact-service/v1/fields')).toMatchObject({ status: 200 })
})

test('simultaneous large replies to one person are sent or refused, and others are served', async () => {
  const few = `${largeCrons}&limit=40`
  expect(await member.get(few)).toMatchObject({ status: 200 })
  const [others, ...replies] = await Promise.all([
    other.get(largeCrons),
    ...Array.from({ length: 8 }, () => member.get(few)),
  ])
  expect(others).toMatchObject({ status: 200 })
  expect(replies.some(({ status }) => status === 200)).toBe(true)
  // 429: more than 100 MB were held; 503: it waited too long for a place, on a slow machine.
  for (const { status } of replies) expect([200, 429, 503]).toContain(status)
  // Nothing is held any more.
  expect(await member.get(few)).toMatchObject({ status: 200 })
})

test('calls of one person leave connections for others, and wait for their own', async () => {
  const { pool } = portal.parts.database
  const holder = await pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('LOCK TABLE portico.saved_filters')
    const waiting = Array.from({ length: 20 }, () => member.get('/contact-service/v1/rdls'))
    // Served while all of them wait.
    expect(await other.get('/identity/v1/policies')).toMatchObject({ status: 200 })
    expect(await other.get('/contact-service/v1/fields')).toMatchObject({ status: 200 })
    await holder.query('COMMIT')
    for (const reply of await Promise.all(waiting)) expect(reply).toMatchObject({ status: 200 })
  } finally {
    holder.release(true)
  }
})

describe('a contact with more events than fit into a reply', () => {
  const count = 300
  let id: string
  let path: string

  beforeAll(async () => {
    await portal.startWorker()
    await importFile(portal, member, 'Email\nada@example.com\n')
    id = (await member.get('/contact-service/v1/offers?limit=1')).json<Offer[]>()[0]?._id ?? ''
    path = `/contact-service/v1/offers/${id}`
    // 300 kB each, 90 MB together.
    await write(
      `INSERT INTO account_${member.account}.events (id, contact_id, event_code, event_date, is_trigger, details)
       SELECT gen_random_uuid(), $1, 'click ' || n, timestamptz '2026-01-31' - n * interval '1 minute', false,
         jsonb_build_object('long', repeat('y', 300000))
       FROM generate_series(1, $2) AS n`,
      id,
      count,
    )
  })

  const codes = (events: unknown): string[] => (events as { event_code: string }[]).map((event) => event.event_code)
  const clicks = (from: number, to: number) =>
    Array.from({ length: to - from }, (_event, at) => `click ${from + at + 1}`)

  test('shows the newest events, even to many callers at once', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => member.get(path)))
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 200, body: { Email: 'ada@example.com' } })
      expect(codes(reply.json<Offer>()['events'])).toEqual(clicks(0, 16))
    }
  })

  test('returns the other events page by page without repetition', async () => {
    const found: string[] = []
    for (;;) {
      const reply = await member.get(`${path}/events?skip=${found.length}&limit=1000`)
      expect(reply).toMatchObject({ status: 200 })
      const page = codes(reply.body)
      if (page.length === 0) break
      found.push(...page)
    }
    expect(found).toEqual(clicks(0, count))
    expect(codes((await member.get(`${path}/events?skip=3&limit=2`)).body)).toEqual(clicks(3, 5))
  })

  test('returns a page with a single event larger than a page', async () => {
    await write(
      `INSERT INTO account_${member.account}.events (id, contact_id, event_code, event_date, is_trigger, details)
       VALUES (gen_random_uuid(), $1, 'huge', '2026-06-01', false, jsonb_build_object('long', repeat('y', 6000000)))`,
      id,
    )
    expect(codes((await member.get(path)).json<Offer>()['events'])).toEqual(['huge'])
    expect(codes((await member.get(`${path}/events`)).body)).toEqual(['huge'])
    expect(codes((await member.get(`${path}/events?skip=1`)).body)).toEqual(clicks(0, 16))
  })

  test('shows its events only to callers who may see the contact', async () => {
    const stranger = await portal.member(member.account, 'contact-service::imports::get')
    expect(await stranger.get(`${path}/events`)).toMatchObject({ status: 403 })
    expect(await other.get(`${path}/events`)).toMatchObject({ status: 404 })
    for (const wrong of ['x', '999999', '99999999999999999999']) {
      expect(await member.get(`/contact-service/v1/offers/${wrong}/events`)).toMatchObject({ status: 404 })
    }
    expect(await member.get(`${path}/events?limit=1001`)).toMatchObject({ status: 400 })
  })
})

import type { SavedFilter } from '@portico/contract/saved-filters'
import type { Segment, SegmentEntry } from '@portico/contract/segments'
import { addDays, todayIn } from '@portico/domain/days'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memberWith, program } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron } from '#test/resources/crons.ts'
import { createDashboard, definition, pie } from '#test/resources/dashboards.ts'
import { createExport, exportDraft } from '#test/resources/exports.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { insertCounts, queueSegmentCounts, runSegmentCounts } from '#segments'

const path = '/contact-service/v1/segments'
const nobodys = '00000000-0000-4000-8000-000000000000'
const inParis = JSON.stringify([{ $match: { City: 'Paris' } }])

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  owner = await ownerOf(await portal.account())
})

/** A power user of an account with three contacts, two of them in Paris. */
async function ownerOf(account: number): Promise<Member> {
  const contacts = [
    { City: 'Paris', Age: 30 },
    { City: 'Paris', Age: 50 },
    { City: 'Rome', Age: 40 },
  ]
  await addContacts(portal.parts.database, account, { City: 'string', Age: 'number' }, contacts)
  return portal.member(account)
}

async function save(by: Member, changes: Record<string, unknown> = {}): Promise<SavedFilter> {
  const answer = await by.post('/contact-service/v1/rdls', { name: 'Parisians', aggregateQuery: inParis, ...changes })
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<SavedFilter>()
}

/** A member who sees segments, and may search under a condition. */
const limitedSearcher = (condition: string): Promise<Member> =>
  memberWith(
    portal,
    owner.account,
    { actions: ['contact-service::rdls::get'] },
    { actions: ['contact-service::offers::get'], conditions: [condition] },
  )

const list = async (by: Client) => (await by.get(path)).json<SegmentEntry[]>()
const read = async (by: Client, id: string) => (await by.get(`${path}/${id}`)).json<Segment>()
const countFor = async (by: Client, id: string) => (await by.get(`${path}/${id}/count`)).body
const nightsFor = async (by: Client, id: string) => (await read(by, id)).nights

describe('the list', () => {
  test('has each saved filter with its query, creator, uses and last use', async () => {
    const { _id, ...saved } = await save(owner)
    await save(owner, { name: 'Long', aggregateQuery: JSON.stringify([{ $match: { City: 'x'.repeat(5000) } }]) })
    const named = JSON.stringify([{ $predefined: _id }])
    const within = await save(owner, { name: 'Within', aggregateQuery: named })
    const filter = { ...pie('Cities').filter, predefined: _id }
    const layout = definition([{ id: 'a', cols: 12, chart: { ...pie('Cities'), filter } }])
    const dashboard = await createDashboard(owner, { definition: layout })
    const instruction = { name: 'Daily', delimiter: 'csv', exportFields: ['City'], aggregateQuery: named }
    const cron = await addCron(owner, { name: 'Every day', instruction })
    const exported = await createExport(owner, exportDraft(['City'], { aggregateQuery: named }))
    const uses = [
      { kind: 'segment', id: within._id, name: 'Within' },
      { kind: 'export', id: exported._id, name: exported.name },
      { kind: 'dashboard', id: dashboard._id, name: 'Overview' },
      { kind: 'export schedule', id: cron._id, name: 'Every day' },
    ]
    const [long, entry, ...others] = await list(owner)
    expect(long).toMatchObject({ name: 'Long', aggregateQuery: null, uses: [], lastUsedAt: null })
    expect(entry).toEqual({
      _id,
      ...saved,
      creator: owner.email,
      createdAt: expect.any(String) as string,
      changedAt: expect.any(String) as string,
      isFavourite: false,
      uses: expect.arrayContaining(uses.map(({ kind }) => ({ kind, items: 1 }))) as object[],
      lastUsedAt: exported.creationDate,
      nights: [],
    })
    expect(others).toMatchObject([{ name: 'Within', uses: [] }])
    const { usedBy } = await read(owner, _id)
    expect(usedBy).toHaveLength(uses.length)
    expect(usedBy).toEqual(expect.arrayContaining(uses))
    // The name of a dashboard is for those who may see all.
    const reader = await portal.member(owner.account, 'contact-service::rdls::get')
    expect((await read(reader, _id)).usedBy).toEqual(usedBy.map((use) => ({ ...use, name: null })))
  })

  test('marks the favourites of the person who reads it', async () => {
    const { _id } = await save(owner)
    const reader = await portal.member(owner.account, 'contact-service::rdls::get')
    const mark = (by: Client, isFavourite: boolean, id = _id) => by.put(`${path}/${id}/favourite`, { isFavourite })
    for (const _again of [1, 2]) expect(await mark(reader, true)).toMatchObject({ status: 204 })
    expect(await list(reader)).toMatchObject([{ isFavourite: true }])
    expect(await list(owner)).toMatchObject([{ isFavourite: false }])
    expect(await mark(reader, false)).toMatchObject({ status: 204 })
    expect(await list(reader)).toMatchObject([{ isFavourite: false }])
    expect(await mark(reader, true, nobodys)).toMatchObject({ status: 404 })
    expect(await reader.put(`${path}/${_id}/favourite`, { isFavourite: 1 })).toMatchObject({ status: 400 })
    expect(await list(await program(portal, owner))).toMatchObject([{ isFavourite: false }])
  })

  test('of a sub-account has the segments that its parent shows, without their creator', async () => {
    const sub = await ownerOf(await portal.account(undefined, owner.account))
    const shown = await save(owner, { name: 'Shown', showInSubaccounts: true })
    const hidden = await save(owner, { name: 'Hidden' })
    expect(await list(sub)).toMatchObject([{ _id: shown._id, isOwn: false, creator: null }])
    expect(await sub.get(`${path}/${hidden._id}`)).toMatchObject({ status: 404 })
    await addContacts(portal.parts.database, sub.account, { City: 'string' }, [{ City: 'Paris' }])
    expect(await countFor(sub, shown._id)).toEqual({ count: 3 })
  })
})

describe('the present count', () => {
  test('is that of the contacts before a grouping, order or limit', async () => {
    const group = [{ $match: { City: 'Paris' } }, { $group: { _id: '$Age', n: { $sum: 1 } } }, { $limit: 1 }]
    const grouped = await save(owner, { name: 'By age', aggregateQuery: JSON.stringify(group) })
    expect(await countFor(owner, grouped._id)).toEqual({ count: 2 })
    const within = JSON.stringify([{ $predefined: grouped._id }])
    expect(await countFor(owner, (await save(owner, { name: 'The same', aggregateQuery: within }))._id)).toEqual({
      count: 2,
    })
  })

  test('requires the right to search with the stages, and is of contacts that the caller may see', async () => {
    const { _id } = await save(owner)
    const restricted = await restrictedMember(portal, owner.account, [{ $match: { Age: { $lt: 45 } } }])
    expect(await countFor(restricted, _id)).toEqual({ count: 1 })
    const reader = await portal.member(owner.account, 'contact-service::rdls::get')
    expect(await reader.get(`${path}/${_id}/count`)).toMatchObject({ status: 403 })
    const limited = await limitedSearcher('query::find::nct::City')
    expect(await limited.get(`${path}/${_id}/count`)).toMatchObject({ status: 403 })
    const young = JSON.stringify([{ $match: { Age: { $lt: 35 } } }])
    expect(await countFor(limited, (await save(owner, { name: 'Young', aggregateQuery: young }))._id)).toEqual({
      count: 1,
    })
    expect(await owner.get(`${path}/${nobodys}/count`)).toMatchObject({ status: 404 })
  })
})

describe('a comparison', () => {
  test('counts the contacts in both segments and in one only, which add up to those in either', async () => {
    const young = JSON.stringify([{ $match: { Age: { $lt: 45 } } }])
    const [one, other] = [await save(owner), await save(owner, { name: 'Young', aggregateQuery: young })]
    const compare = (by: Client, [a, b] = [one._id, other._id]) => by.get(`${path}/${a}/comparison?with=${b}`)
    // One in Paris is older, the one in Rome is younger; contacts without a value are in neither.
    await addContacts(portal.parts.database, owner.account, { City: 'string' }, [{ City: null }])
    expect((await compare(owner)).body).toEqual({ both: 1, onlyThis: 1, onlyOther: 1 })
    expect((await compare(owner, [other._id, one._id])).body).toEqual({ both: 1, onlyThis: 1, onlyOther: 1 })
    const all = await save(owner, { name: 'All', aggregateQuery: '[]' })
    expect((await compare(owner, [all._id, one._id])).body).toEqual({ both: 2, onlyThis: 2, onlyOther: 0 })
    const restricted = await restrictedMember(portal, owner.account, [{ $match: { City: 'Rome' } }])
    expect((await compare(restricted)).body).toEqual({ both: 0, onlyThis: 0, onlyOther: 1 })
    // Neither may be one that the caller may not search with.
    const limited = await limitedSearcher('query::find::nct::City')
    for (const pair of [[one._id, other._id] as const, [other._id, one._id] as const]) {
      expect(await compare(limited, [...pair])).toMatchObject({ status: 403 })
    }
    expect(await compare(owner, [one._id, nobodys])).toMatchObject({ status: 404 })
    expect(await owner.get(`${path}/${one._id}/comparison`)).toMatchObject({ status: 400 })
  })
})

describe('nightly counts', () => {
  const jobs = () => ({ db: portal.parts.database.db, jobs: portal.parts.jobs })
  const running = new AbortController().signal

  const nightRows = async () => {
    const { rows } = await portal.parts.database.pool.query<{ id: number; status: string; recovery_count: number }>(
      `SELECT id, status, recovery_count FROM account_${owner.account}.segment_nights ORDER BY id`,
    )
    return rows
  }
  /** Queues the night and runs its job, as a worker does. */
  async function countNight(now: Date, signal = running): Promise<void> {
    await queueSegmentCounts(jobs(), owner.account, now)
    const night = (await nightRows()).at(-1)
    await runSegmentCounts(portal.parts, owner.account, { nightId: night?.id ?? 0 }, signal)
  }
  const atNight = (daysAgo: number) => new Date(`${addDays(todayIn('UTC'), -daysAgo)}T03:00:00Z`)

  test('are the counts that a search gives at that moment, once a night, from two o’clock', async () => {
    const { _id } = await save(owner)
    await queueSegmentCounts(jobs(), owner.account, new Date('2026-03-01T01:59:00Z'))
    expect(await nightRows()).toEqual([])
    await countNight(atNight(1))
    const first = await countFor(owner, _id)
    await addContacts(portal.parts.database, owner.account, { City: 'string' }, [{ City: 'Paris' }])
    // The same night is not counted again.
    await countNight(atNight(1))
    await countNight(atNight(0))
    expect(await nightsFor(owner, _id)).toEqual([
      { night: todayIn('UTC', atNight(1)), contacts: 2, reason: null },
      { night: todayIn('UTC', atNight(0)), contacts: 3, reason: null },
    ])
    expect([first, await countFor(owner, _id)]).toEqual([{ count: 2 }, { count: 3 }])
    expect(await nightRows()).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
  })

  test('skip a segment that cannot be counted, and say why', async () => {
    const { _id } = await save(owner)
    const broken = await save(owner, { name: 'Of another', aggregateQuery: JSON.stringify([{ $predefined: _id }]) })
    const text = JSON.stringify([{ $match: { Town: 'Paris' } }])
    await portal.parts.database.pool.query('UPDATE portico.saved_filters SET aggregate_query = $2 WHERE id = $1', [
      _id,
      text,
    ])
    const fine = await save(owner, { name: 'Romans', aggregateQuery: '[{"$match":{"City":"Rome"}}]' })
    await countNight(atNight(0))
    const reason = 'Unexpected field in standard filter: "Town"'
    for (const id of [_id, broken._id]) expect(await nightsFor(owner, id)).toMatchObject([{ contacts: null, reason }])
    expect(await nightsFor(owner, fine._id)).toMatchObject([{ contacts: 1, reason: null }])
  })

  test('go on where a worker stopped or died, and keep what was counted', async () => {
    const { _id } = await save(owner)
    const other = await save(owner, { name: 'Romans', aggregateQuery: '[{"$match":{"City":"Rome"}}]' })
    await expect(countNight(atNight(0), AbortSignal.abort())).rejects.toThrow('The worker is stopping')
    expect(await nightRows()).toMatchObject([{ status: 'waiting', recovery_count: 0 }])
    // A worker that died after the first count left it, and the row in progress.
    const night = todayIn('UTC', atNight(0))
    const { db, pool } = portal.parts.database
    await insertCounts(db, owner.account, [{ filterId: _id, night, contacts: 77, reason: null }], new Date())
    await pool.query(`UPDATE account_${owner.account}.segment_nights SET status = 'processing'`)
    await countNight(atNight(0))
    expect(await nightRows()).toMatchObject([{ status: 'completed', recovery_count: 1 }])
    expect(await nightsFor(owner, _id)).toMatchObject([{ night, contacts: 77 }])
    expect(await nightsFor(owner, other._id)).toMatchObject([{ night, contacts: 1 }])
  })

  test('are kept 400 days, and go with the segment', async () => {
    const { _id } = await save(owner)
    const old = { filterId: _id, contacts: 1, reason: null }
    const nights = [401, 400].map((days) => ({ ...old, night: addDays(todayIn('UTC'), -days) }))
    await insertCounts(portal.parts.database.db, owner.account, nights, new Date())
    await countNight(atNight(0))
    expect((await nightsFor(owner, _id))?.map(({ night }) => night)).toEqual([nights[1]?.night, todayIn('UTC')])
    expect((await list(owner))[0]?.nights).toHaveLength(1)
    await owner.delete(`/contact-service/v1/rdls/${_id}`)
    await portal.parts.database.pool.query(`DELETE FROM account_${owner.account}.segment_nights`)
    await countNight(atNight(0))
    const { rows } = await portal.parts.database.pool.query(`SELECT FROM account_${owner.account}.segment_counts`)
    expect(rows).toEqual([])
  })

  test('are hidden from people who may search only some contacts, or only under conditions', async () => {
    const { _id } = await save(owner)
    await countNight(atNight(0))
    const searcher = await portal.member(owner.account, 'contact-service::rdls::get', 'contact-service::offers::get')
    expect(await nightsFor(searcher, _id)).toMatchObject([{ contacts: 2 }])
    const limited = await limitedSearcher('query::find::nct::Age')
    const restricted = await restrictedMember(portal, owner.account, [{ $match: { Age: { $lt: 45 } } }])
    const reader = await portal.member(owner.account, 'contact-service::rdls::get')
    for (const by of [limited, restricted, reader]) {
      expect(await nightsFor(by, _id)).toBeNull()
      expect((await list(by)).map(({ nights }) => nights)).toEqual([null])
    }
  })
})

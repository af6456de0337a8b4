import { dashboardBodyBytes, type Dashboard } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createDashboard,
  dashboardsPath as path,
  definition,
  draftOf,
  inAccounts,
  namesFor,
  pie,
  refused,
  saveDashboard,
} from '#test/resources/dashboards.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const nobodys = '00000000-0000-4000-8000-000000000000'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
})

const cellsOf = ({ definition: text }: Dashboard) => (JSON.parse(text) as Definition).layout.flat()

describe('dashboards', () => {
  test('can be created, listed by name, read, changed and deleted', async () => {
    const zebra = await createDashboard(member, { name: 'Zebra' })
    const made = await createDashboard(member, { name: '  apples ' })
    expect(made).toEqual({
      _id: expect.any(String) as string,
      name: 'apples',
      tags: ['event'],
      author: member.email,
      definition: expect.any(String) as string,
      version: 1,
      updatedAt: expect.stringMatching(/Z$/) as string,
      isAuthor: true,
      mayTakeOver: false,
      isFavourite: false,
      sharedWith: { paids: 'all', aids: [member.account], users: [member.email] },
    })
    expect((await member.get(path)).body).toEqual([made, zebra])
    expect((await member.get(`${path}/${made._id}`)).body).toEqual(made)
    const changes = { name: 'Pears', tags: ['goal', 'score'], definition: definition([{ cols: 4, chart: pie('A') }]) }
    const changed = await saveDashboard(member, made._id, changes)
    expect(changed).toMatchObject({ status: 200, body: { name: 'Pears', tags: ['goal', 'score'], version: 2 } })
    expect(cellsOf(changed.json<Dashboard>())).toMatchObject([{ cols: 4, chart: { title: 'A' } }])
    expect((await member.get(`${path}/${made._id}`)).body).toEqual(changed.body)
    expect(await member.delete(`${path}/${made._id}`)).toMatchObject({ status: 204 })
    expect(await member.get(`${path}/${made._id}`)).toMatchObject(refused(404, 'not_found'))
    expect(await namesFor(member)).toEqual(['Zebra'])
  })

  test('can be found by part of the name and by tag, paged, and without definitions', async () => {
    await createDashboard(member, { name: 'Spring sales', tags: ['goal'] })
    await createDashboard(member, { name: 'Autumn sales', tags: ['goal', 'page'] })
    await createDashboard(member, { name: '100 % events', tags: ['event'] })
    expect(await namesFor(member, 'find=SALES')).toEqual(['Autumn sales', 'Spring sales'])
    expect(await namesFor(member, `find=${encodeURIComponent('%')}`)).toEqual(['100 % events'])
    expect(await namesFor(member, 'find=_')).toEqual([])
    expect(await namesFor(member, 'tag=page')).toEqual(['Autumn sales'])
    expect(await namesFor(member, 'limit=1&skip=1')).toEqual(['Autumn sales'])
    const [first] = (await member.get(`${path}?definition=false`)).json<Dashboard[]>()
    expect(first).toMatchObject({ name: '100 % events', definition: '' })
    expect(await member.get(`${path}?tag=colour`)).toMatchObject({ status: 400 })
  })

  test('are listed without definitions beyond 20 MB in total', async () => {
    const filter = { standard: [{ $match: { City: 'x'.repeat(190_000) } }, ...pie('').filter.standard] }
    const text = definition([{ id: 'a', cols: 12, chart: { ...pie('A'), filter } }])
    const { _id } = await createDashboard(member, { name: 'Large', definition: text })
    const { pool } = portal.parts.database
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO portico.dashboards SELECT gen_random_uuid(), account_id, author_id, name || n, tags, shared_parents,
         shared_accounts, shared_users, version, created_at FROM portico.dashboards, generate_series(100, 219) n
       WHERE id = $1 RETURNING id`,
      [_id],
    )
    await pool.query(
      `INSERT INTO portico.dashboard_versions SELECT copy, version, name, tags, definition, saved_by, saved_at, changes
       FROM portico.dashboard_versions, unnest($2::uuid[]) copy WHERE dashboard_id = $1`,
      [_id, rows.map(({ id }) => id)],
    )
    const listed = async (query: string) => (await member.get(`${path}?${query}`)).json<Dashboard[]>()
    const all = await listed('')
    expect(all).toHaveLength(121)
    const whole = all.map(({ definition: each }) => each !== '')
    expect(whole.slice(0, 105)).not.toContain(false)
    expect(whole.slice(106)).not.toContain(true)
    expect((await listed('skip=110')).map(({ definition: each }) => each)).not.toContain('')
  })

  test('can have the same name', async () => {
    await createDashboard(member, { name: 'Same' })
    await createDashboard(member, { name: 'Same' })
    expect(await namesFor(member)).toEqual(['Same', 'Same'])
  })

  test('can be cloned under another name', async () => {
    const made = await createDashboard(member, { definition: definition([{ cols: 12, chart: pie('A') }]) })
    const { name, tags, sharedWith, definition: text } = made
    const clone = await member.post(path, { name: `Copy of ${name}`, tags, sharedWith, definition: text })
    expect(clone).toMatchObject({ status: 201, body: { name: 'Copy of Overview', version: 1, definition: text } })
    expect(clone.json<Dashboard>()._id).not.toBe(made._id)
  })

  test('can be saved by older clients with all their properties', async () => {
    const made = await createDashboard(member)
    const grouped = pie('A').filter
    const cell = { cols: '6', chartData: [[1]], chart: { ...pie('A'), filter: {} }, originalFilter: grouped }
    const text = JSON.stringify({ layout: [[cell]], originalFiltersSaved: true, resetFilters: true })
    const saved = await saveDashboard(member, made._id, { _id: made._id, author: 'x@example.com', definition: text })
    expect(saved).toMatchObject({ status: 200, body: { author: member.email } })
    const { layout, ...flags } = JSON.parse(saved.json<Dashboard>().definition) as Definition
    expect(flags).toEqual({ originalFiltersSaved: false, resetFilters: false })
    expect(layout).toMatchObject([[{ cols: 6, chart: { filter: grouped } }]])
    expect(saved.json<Dashboard>().definition).not.toMatch(/chartData|originalFilter"/)
  })

  test('can name fields that the account lacks', async () => {
    const filter = { standard: [{ $match: { Nowhere: 1 } }, { $group: { _id: '$Nothing', n: { $sum: 1 } } }] }
    const made = await createDashboard(member, {
      definition: definition([{ cols: 12, chart: { ...pie('A'), filter } }]),
    })
    expect(cellsOf(made)).toMatchObject([{ chart: { filter } }])
  })

  test('have stable ids for their cells', async () => {
    const cells = ['own', 'own', '', 7, 'not an id', undefined].map((id) => ({ id, cols: 12 }))
    const made = await createDashboard(member, { definition: definition(cells) })
    const ids = cellsOf(made).map(({ id }) => id)
    expect(ids[0]).toBe('own')
    expect(new Set(ids).size).toBe(cells.length)
    for (const id of ids) expect(id).toMatch(/^[\w-]+$/)
    const saved = await saveDashboard(member, made._id, { definition: made.definition })
    expect(saved.json<Dashboard>().definition).toBe(made.definition)
  })

  test('are not found by an invalid id', async () => {
    for (const id of [nobodys, '1', 'x', "'"]) {
      expect([id, (await member.get(`${path}/${encodeURIComponent(id)}`)).status]).toEqual([id, 404])
      expect(await member.delete(`${path}/${encodeURIComponent(id)}`)).toMatchObject({ status: 404 })
    }
    expect(await saveDashboard(member, nobodys)).toMatchObject({ status: 404 })
  })

  test('can be a favorite of one person and not of others', async () => {
    const { _id } = await createDashboard(member, { sharedWith: inAccounts(member.account) })
    const other = await portal.member(member.account)
    const mark = (by: Member, isFavourite: boolean) => by.put(`${path}/${_id}/favourite`, { isFavourite })
    expect(await mark(other, true)).toMatchObject({ status: 200, body: { isFavourite: true } })
    expect(await mark(other, true)).toMatchObject({ status: 200, body: { isFavourite: true } })
    expect((await other.get(path)).body).toMatchObject([{ isFavourite: true }])
    expect((await member.get(path)).body).toMatchObject([{ isFavourite: false }])
    expect(await mark(other, false)).toMatchObject({ status: 200, body: { isFavourite: false } })
    expect((await other.get(path)).body).toMatchObject([{ isFavourite: false }])
  })
})

describe('a dashboard is refused', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ['without a name', { name: ' ' }, 'name', 'Value is required!'],
    ['with a long name', { name: 'x'.repeat(101) }, 'name', 'Use at most 100 characters.'],
    ['without a tag', { tags: [] }, 'tags', 'Value is required!'],
    ['with an unknown tag', { tags: ['colour'] }, 'tags.0', expect.stringContaining('"channel"') as string],
    ['with a tag twice', { tags: ['goal', 'goal'] }, 'tags.1', 'goal is duplicate!'],
    ['with no users', { sharedWith: { paids: 'all', aids: 'all', users: [] } }, 'users', 'Value is required!'],
    [
      'with no account',
      { sharedWith: { paids: 'all', aids: [0], users: 'all' } },
      'aids.0',
      expect.any(String) as string,
    ],
    [
      'with a bad email',
      { sharedWith: { paids: 'all', aids: [1], users: ['x'] } },
      'sharedWith.users.0',
      'Value is invalid!',
    ],
    [
      'with an email twice',
      { sharedWith: { paids: 'all', aids: [1], users: ['a@example.com', 'A@example.com'] } },
      'sharedWith.users.1',
      'a@example.com is duplicate!',
    ],
    [
      'with an account twice',
      { sharedWith: { paids: 'all', aids: [7, 7], users: 'all' } },
      'sharedWith.aids.1',
      '7 is duplicate!',
    ],
    ['without a definition', { definition: '' }, 'definition', 'Value is required!'],
    ['with a field of its own', { colour: 'red' }, 'colour', 'This field is not known.'],
  ])('%s', async (_what, changes, field, message) => {
    expect(await member.post(path, draftOf(member, changes))).toMatchObject(
      refused(400, 'invalid_input', { details: [{ field: expect.stringContaining(field) as string, message }] }),
    )
    expect(await namesFor(member)).toEqual([])
  })

  test('naming row, cell and key of every problem', async () => {
    const cells = [{ cols: 12, chart: pie('A') }, { cols: 3 }]
    const text = definition(cells, [{ cols: 12, chart: { ...pie('B'), filter: { standard: [] } } }])
    const answer = await member.post(path, draftOf(member, { definition: text }))
    expect(answer).toMatchObject(
      refused(400, 'invalid_input', {
        message: 'Row 1, cell 2, cols: Enter a number from 4 to 12.',
        details: [
          { field: 'definition', row: 1, cell: 2, key: 'cols', message: 'Enter a number from 4 to 12.' },
          { field: 'definition', row: 2, cell: 1, key: 'filter', message: 'Filter should have GroupBy!' },
        ],
      }),
    )
    const { _id } = await createDashboard(member)
    expect(await saveDashboard(member, _id, { definition: text })).toMatchObject(refused(400, 'invalid_input'))
    expect(await saveDashboard(member, _id, { definition: '{' })).toMatchObject(refused(400, 'invalid_input'))
  })

  test('with more than 60 cells', async () => {
    const cells = (count: number) => definition(...Array.from({ length: count }, () => [{ cols: 12 }]))
    await createDashboard(member, { definition: cells(60) })
    expect(await member.post(path, draftOf(member, { definition: cells(61) }))).toMatchObject(
      refused(400, 'invalid_input', { message: 'Layout: A dashboard has at most 60 cells; this one has 61.' }),
    )
  })

  test('with more than 200 kB, not counting the data of charts', async () => {
    const filled = (length: number) => {
      const filter = { standard: [{ $match: { City: 'x'.repeat(length) } }, ...pie('').filter.standard] }
      return definition([{ id: 'c', cols: 12, chartData: 'y'.repeat(1_000_000), chart: { ...pie('A'), filter } }])
    }
    const empty = (await createDashboard(member, { definition: filled(0) })).definition.length
    const largest = await createDashboard(member, { definition: filled(200_000 - empty) })
    expect(largest.definition).toHaveLength(200_000)
    expect(await member.post(path, draftOf(member, { definition: filled(200_001 - empty) }))).toMatchObject(
      refused(400, 'invalid_input', {
        message:
          'Definition: A dashboard takes at most 200 kB; this one takes 201 kB. Keep a long list of values in a saved filter.',
      }),
    )
  })

  test('with a request of more than 5 MB, and such a request is read only within a session', async () => {
    const body = draftOf(member, { definition: 'x'.repeat(dashboardBodyBytes) })
    expect(await member.post(path, body)).toMatchObject(refused(413, 'too_large'))
    expect(await portal.anonymous.post(path, body)).toMatchObject(refused(401, 'not_signed_in'))
  })

  test('beyond 1,000 per account', async () => {
    const { _id } = await createDashboard(member)
    await portal.parts.database.pool.query(
      `INSERT INTO portico.dashboards SELECT gen_random_uuid(), account_id, author_id, name, tags, shared_parents,
         shared_accounts, shared_users, version, created_at FROM portico.dashboards, generate_series(1, 998) WHERE id = $1`,
      [_id],
    )
    await createDashboard(member)
    expect(await member.post(path, draftOf(member))).toMatchObject(
      refused(409, 'limit_reached', {
        message: 'An account has at most 1,000 dashboards. Delete one that is not needed.',
      }),
    )
    await createDashboard(await portal.member(await portal.account()))
  })
})

import type { CellAnswer, Dashboard } from '@portico/contract/dashboards'
import { calculateTable } from '@portico/domain/dashboards/calculated-columns'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { contactsOf } from '@portico/contract/dashboards/narrowing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureFields } from '#contacts'
import { addContacts } from '#test/resources/contacts.ts'
import { createDashboard, dashboardsPath, definition, draftOf, pie, refused } from '#test/resources/dashboards.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member

const options = { colors: ['#1971c2'] }
const byCity = { standard: [{ $group: { _id: { City: '$City' }, n: { $count: {} } } }] }
const count = { type: 'KPI', filter: { standard: [] }, options }

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  member = await portal.member(account)
  const types = { City: 'string', Age: 'number', Joined: 'date' } as const
  await addContacts(portal.parts.database, account, types, [
    { City: 'Oslo', Age: 30, Joined: '2026-01-15T12:00:00Z' },
    { City: 'Rome', Age: 50, Joined: '2026-02-20T12:00:00Z' },
  ])
})
afterAll(() => portal.close())

const made = (...charts: object[]): Promise<Dashboard> =>
  createDashboard(member, { definition: definition(charts.map((chart, at) => ({ id: `c${at}`, cols: 12, chart }))) })

const ask = (by: Member, { _id, version }: Dashboard, cell: string, question: object = {}): Promise<Answer> =>
  by.post(`${dashboardsPath}/${_id}/cells/${cell}`, { version, ...question })

describe('a definition is refused, naming cell and key:', () => {
  const calculated = (...columns: object[]) => ({ type: 'CalculatedTable', filter: byCity, calculatedColumns: columns })
  const column = (name: string, expression: string) => ({ name, expression })
  const cases: [string, unknown, string, string][] = [
    ['of an unknown kind', { ...pie('A'), type: 'Sankey' }, 'type', ''],
    ['of a kind that is a name of JavaScript', { ...pie('A'), type: '__proto__' }, 'type', ''],
    ['that is a text', 'Pie', '', ''],
    ['that is a list', [], '', ''],
    ['with options that are a text', { ...pie('A'), options: 'red' }, 'options', 'Value is invalid!'],
    ['with options that are a list', { ...pie('A'), options: [1] }, 'options', ''],
    ['with colours that are a text', { ...pie('A'), options: { colors: '#fff' } }, 'options.colors', ''],
    [
      'with code for a colour',
      { ...pie('A'), options: { colors: ['url(javascript:alert(1))'] } },
      'options.colors.0',
      '',
    ],
    ['with a number for a title', { ...pie('A'), title: 5 }, 'title', ''],
    ['with a filter that is JSON of a text', { ...pie('A'), filter: '"[]"' }, 'filter', 'Value is invalid!'],
    ['with stages that are no list', { ...pie('A'), filter: { standard: {} } }, 'filter.standard', ''],
    ['with a sort that is no order', { ...pie('A'), filter: { ...byCity, sort: { City: 2 } } }, 'filter.sort.City', ''],
    [
      'with a column that uses itself',
      calculated(column('A', '{{A}} + 1')),
      'calculatedColumns.0.expression',
      '{{a}} is calculated after this column.',
    ],
    [
      'with columns that use each other',
      calculated(column('A', '{{B}} + 1'), column('B', '{{A}} + 1')),
      'calculatedColumns.0.expression',
      '{{b}} is calculated after this column.',
    ],
    [
      'with an expression of 10,000 characters',
      calculated(column('A', `{{n}}${'+1'.repeat(5000)}`)),
      'calculatedColumns.0.expression',
      'Use at most 2000 characters.',
    ],
    [
      'with an expression of 200 levels',
      calculated(column('A', `${'('.repeat(200)}{{n}}${')'.repeat(200)}`)),
      'calculatedColumns.0.expression',
      'Nest at most 100 levels.',
    ],
    [
      'with an expression that is code',
      calculated(column('A', '{{n}}.constructor')),
      'calculatedColumns.0.expression',
      'is not expected here.',
    ],
    [
      'with a sixth calculated column',
      calculated(...'ABCDEF'.split('').map((name) => column(name, '{{n}}'))),
      'calculatedColumns',
      '',
    ],
  ]
  test.each(cases)('%s', async (_what, chart, key, message) => {
    const good = { id: 'good', cols: 12, chart: pie('Good') }
    const text = definition([good], [{ id: 'bad', cols: 12, chart }])
    const answer = await member.post(dashboardsPath, draftOf(member, { definition: text }))
    expect(answer).toMatchObject(refused(400, 'invalid_input'))
    const { details } = answer.json<{
      error: { details: { row: number; cell: number; key: string; message: string }[] }
    }>().error
    expect(details).toContainEqual(
      expect.objectContaining({
        row: 2,
        cell: 1,
        key: expect.stringContaining(key) as string,
        message: expect.stringContaining(message) as string,
      }),
    )
  })

  test.each([
    [
      'of cells that nest 50,000 deep',
      `{"layout":[[{"cols":12,"chart":{"type":"Pie","filter":{"standard":[${'{"a":['.repeat(50_000)}${']}'.repeat(50_000)}]}}}]]}`,
    ],
    ['of 100,000 rows', JSON.stringify({ layout: Array.from({ length: 100_000 }, () => [{}]) })],
    ['without rows', '{"layout":{"__proto__":[]}}'],
    ['that is a number', '1e999'],
    ['that is no JSON', '{"layout":[[{]]}'],
  ])('%s', async (_what, text) => {
    const answer = await member.post(dashboardsPath, draftOf(member, { definition: text }))
    expect(answer).toMatchObject(refused(400, 'invalid_input'))
    expect(answer.json<{ error: { message: string } }>().error.message.length).toBeGreaterThan(10)
  })
})

test('a calculated column can be named like a JavaScript property', async () => {
  const names = ['__proto__', 'constructor', 'toString']
  const calculatedColumns = names.map((name) => ({
    name,
    expression: `{{${name} }} + {{n}}`.replace(`{{${name} }} + `, ''),
  }))
  const dashboard = await made({ type: 'CalculatedTable', filter: byCity, calculatedColumns }, count)
  expect(await ask(member, dashboard, 'c0')).toMatchObject({ status: 200, body: { total: 2 } })
  const { rows } = calculateTable(
    ['n'],
    [{ n: 2 }],
    [
      { name: 'A', expression: '{{__proto__}}', fix: 'none', position: 'e' },
      { name: '__proto__', expression: '{{n}} * 2', fix: 'none', position: 'e' },
      { name: 'B', expression: '{{__proto__}} + {{constructor}}', fix: 'none', position: 'e' },
    ],
  )
  expect(Object.fromEntries(rows[0] ?? [])).toEqual({ n: 2, a: null, ['__proto__']: 4, b: null })
  expect(Object.getPrototypeOf({})).toBe(Object.prototype)
})

describe('a cell that uses something the account lacks fails by name, and other cells work:', () => {
  const lost: [string, object, string][] = [
    [
      'a key',
      { type: 'Bar', filter: { standard: [{ $group: { _id: { H: '$Height' }, n: { $sum: 1 } } }] }, options },
      'Height',
    ],
    ['a condition', { ...count, filter: { standard: [{ $match: { Height: 1 } }] } }, 'Height'],
    ['a column', { type: 'PaginaTable', filter: { standard: [], columns: ['City', 'Height'] } }, 'Height'],
    ['an order', { type: 'PaginaTable', filter: { standard: [], columns: ['City'], sort: { Height: 1 } } }, 'Height'],
    [
      'a value of a list',
      { type: 'Dropdown', filter: { standard: [{ $group: { _id: { H: '$Height' } } }] } },
      'Height',
    ],
    [
      'a date',
      { type: 'DatePicker', datePickerType: 'month', defaultId: '6', maxRange: 31, portico: { dateField: 'Left' } },
      'Left',
    ],
    [
      'a date that is a number',
      { type: 'DatePicker', datePickerType: 'day', defaultId: 'T', portico: { dateField: 'Age' } },
      'Age',
    ],
    [
      'a date of a tile',
      { ...count, options: { ...options, template: 'internal-date-range' }, portico: { dateField: 'Left' } },
      'Left',
    ],
    ['an operator', { ...count, filter: { standard: [{ $match: { City: { $where: '1' } } }] } }, '$where'],
    ['a stage', { ...count, filter: { standard: [{ $out: 'x' }] } }, '$out'],
    ['a saved filter', { ...count, filter: { standard: [], predefined: '77' } }, ''],
  ]
  test.each(lost)('%s', async (_what, chart, name) => {
    const dashboard = await made(chart, count, { type: 'Bar', filter: byCity, options })
    const answer = await ask(member, dashboard, 'c0')
    expect(answer).toMatchObject(refused(422, 'cell_failed'))
    expect(answer.json<{ error: { message: string } }>().error.message).toContain(name)
    const chosen = {
      clicks: [{ cell: 'c0', keys: [['x']] }],
      choices: [{ cell: 'c0', include: ['x'] }],
    }
    for (const question of [{}, chosen]) {
      expect(await ask(member, dashboard, 'c1', question)).toMatchObject({ status: 200, body: { kpi: { value: 2 } } })
      expect(await ask(member, dashboard, 'c2', question)).toMatchObject({ status: 200, body: { total: 2 } })
    }
  })
})

test('thousands of groups clicked in several cells are refused quickly', async () => {
  const codes = {
    standard: [
      { $unwind: '$events' },
      { $group: { _id: { City: '$City', Code: '$events.event_code' }, n: { $sum: 1 } } },
    ],
  }
  const charts = Array.from({ length: 6 }, () => ({ type: 'Bar', filter: codes, options }))
  const dashboard = await made(count, ...charts)
  const keys = Array.from({ length: 2000 }, (_value, at) => [`c${at}`, `x${at}`])
  const clicks = charts.map((_chart, at) => ({ cell: `c${at + 1}`, keys }))
  const start = performance.now()
  const answer = await ask(member, dashboard, 'c0', { clicks })
  expect(answer).toMatchObject(refused(422, 'cell_failed', { message: 'A filter takes at most 1000 conditions.' }))
  expect(performance.now() - start).toBeLessThan(10_000)
})

test('contacts with an event can be searched with the filter that a dashboard links to', async () => {
  const groups = [{ $unwind: '$events' }, { $group: { _id: '$events.event_code', n: { $sum: 1 } } }]
  const stages = writePipeline(contactsOf(parsePipeline(groups)) ?? [])
  const find = encodeURIComponent(JSON.stringify(stages))
  expect(await member.get(`/contact-service/v1/offers?find=${find}&count=`)).toMatchObject({
    status: 200,
    body: { count: 0 },
  })
})

describe('a field with very many values', () => {
  // DASHBOARD_VALUES=2000000 takes a minute.
  const contacts = Number(process.env['DASHBOARD_VALUES'] ?? 200_000)

  test(`shows the first 2,000 of ${contacts}, in bounded time and memory`, { timeout: 300_000 }, async () => {
    const account = await portal.account()
    const owner = await portal.member(account)
    const { db, pool } = portal.parts.database
    const [field] = await ensureFields(db, account, [{ name: 'Code', type: 'string' }])
    if (!field) throw new Error('there is no field')
    await pool.query(
      `INSERT INTO account_${account}.${field.table} (id${field.table === 'contacts' ? ', import_id' : ''}, ${field.column})
       SELECT (1::bigint << 33) + at${field.table === 'contacts' ? ', 1' : ''}, 'code ' || lpad(at::text, 9, '0') FROM generate_series(1, $1) AS at`,
      [contacts],
    )
    await pool.query(`ANALYZE account_${account}.${field.table}`)
    const byCode = { standard: [{ $group: { _id: { Code: '$Code' }, n: { $count: {} } } }] }
    const twoKeys = { standard: [{ $group: { _id: { Code: '$Code', Id: '$_id' }, n: { $count: {} } } }] }
    const charts = [
      { type: 'Bar', filter: byCode, options },
      { type: 'Dropdown', filter: byCode },
      { type: 'Pivot', filter: twoKeys },
      { type: 'CalculatedTable', filter: byCode, calculatedColumns: [{ name: 'A', expression: '{{n}}' }] },
      { type: 'PaginaTable', filter: byCode },
    ]
    const dashboard = await createDashboard(owner, {
      definition: definition(charts.map((chart, at) => ({ id: `c${at}`, cols: 12, chart }))),
      sharedWith: { paids: 'all', aids: [account], users: 'all' },
    })
    const before = process.memoryUsage().rss
    const found: unknown[] = []
    for (const at of charts.keys()) {
      const answer = await ask(owner, dashboard, `c${at}`)
      const { rows = [], total } = answer.json<Partial<CellAnswer>>()
      found.push({ status: answer.status, rows: rows.length, total })
    }
    expect(found).toEqual([2000, 50, 2000, 2000, 5].map((rows) => ({ status: 200, rows, total: contacts })))
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20)
  })
})
